import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Its children are the SDK's to keep; it tells a status, and hears of the end. */
@ControllerConfiguration(name = "pages")
@Workflow(
    dependents = {
      @Dependent(type = PageConfigMap.class),
      @Dependent(type = PageDeployment.class),
    })
public class PageReconciler implements Reconciler<Page>, Cleaner<Page> {
  final Set<String> cleaned = ConcurrentHashMap.newKeySet();

  @Override
  public UpdateControl<Page> reconcile(Page page, Context<Page> context) {
    var deployment = context.getSecondaryResource(Deployment.class).orElseThrow();
    var status = new PageStatus();
    status.text = page.getSpec().text;
    status.readyReplicas = deployment.getStatus().getReadyReplicas();
    page.setStatus(status);
    page.getMetadata().setManagedFields(null);
    return UpdateControl.patchStatus(page);
  }

  @Override
  public DeleteControl cleanup(Page page, Context<Page> context) {
    cleaned.add(page.getMetadata().getName());
    return DeleteControl.defaultDelete();
  }
}
