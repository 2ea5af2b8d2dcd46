import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The text of a page, applied by its server-side apply where it does not match. */
public class PageConfigMap extends CRUDKubernetesDependentResource<ConfigMap, Page> {
  static final AtomicInteger updates = new AtomicInteger();

  @Override
  protected ConfigMap desired(Page page, Context<Page> context) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(page.getMetadata().getName())
        .withNamespace(page.getMetadata().getNamespace())
        .endMetadata()
        .withData(Map.of("text", page.getSpec().text))
        .build();
  }

  @Override
  public ConfigMap update(ConfigMap actual, ConfigMap desired, Page page, Context<Page> context) {
    updates.incrementAndGet();
    return super.update(actual, desired, page, context);
  }
}
