import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** The kind that the operator is about. */
@Group("java.example.com")
@Version("v1")
public class Page extends CustomResource<PageSpec, PageStatus> implements Namespaced {}
