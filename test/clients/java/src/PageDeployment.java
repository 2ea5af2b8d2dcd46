import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** What shows a page: of a kind with many defaults, which must not look like somebody's change. */
public class PageDeployment extends CRUDKubernetesDependentResource<Deployment, Page> {
  static final AtomicInteger updates = new AtomicInteger();

  @Override
  protected Deployment desired(Page page, Context<Page> context) {
    var labels = Map.of("page", page.getMetadata().getName());
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName(page.getMetadata().getName())
        .withNamespace(page.getMetadata().getNamespace())
        .endMetadata()
        .withNewSpec()
        .withReplicas(page.getSpec().replicas)
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("page")
        .withImage("node")
        .withCommand("node")
        .withArgs("-e", "console.log(process.env.TEXT); setInterval(() => {}, 1e6)")
        .addNewEnv()
        .withName("TEXT")
        .withNewValueFrom()
        .withNewConfigMapKeyRef("text", page.getMetadata().getName(), false)
        .endValueFrom()
        .endEnv()
        .addNewPort()
        .withName("http")
        .withContainerPort(3000)
        .endPort()
        .withNewResources()
        // Written in another way than it is kept.
        .addToRequests("cpu", new Quantity("0.1"))
        .endResources()
        .withNewLivenessProbe()
        .withNewExec()
        .withCommand("node", "--version")
        .endExec()
        .withPeriodSeconds(60)
        .endLivenessProbe()
        .endContainer()
        .endSpec()
        .endTemplate()
        .withNewStrategy()
        .withNewRollingUpdate()
        .withMaxSurge(new IntOrString("50%"))
        .endRollingUpdate()
        .endStrategy()
        .endSpec()
        .build();
  }

  @Override
  public Deployment update(Deployment actual, Deployment desired, Page page, Context<Page> context) {
    updates.incrementAndGet();
    return super.update(actual, desired, page, context);
  }
}
