import io.fabric8.crdv2.generator.CRDGenerationInfo;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CustomResourceInfo;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * An operator as people write them in Java: the Java Operator SDK with managed dependents, a
 * finalizer, a status and leader election, for a kind whose definition fabric8 generates; and
 * fabric8's client by itself. It runs against whatever KUBECONFIG names, and prints "ok <check>",
 * or "failed <check>: <why>" and ends with 1.
 */
public class Main {
  static final String namespace = "default";

  public static void main(String[] args) throws Exception {
    try (var client = new KubernetesClientBuilder().build()) {
      var reconciler = new PageReconciler();
      check("definition", () -> define(client));
      var operator =
          new Operator(
              o ->
                  o.withLeaderElectionConfiguration(
                      new LeaderElectionConfiguration("pages", namespace)));
      operator.register(reconciler);
      check("start", () -> start(operator));
      check("children and status", () -> reconcile(client));
      check("nothing is applied again", () -> expectUpdates(0));
      check("change", () -> change(client));
      check("cleanup", () -> cleanUp(client, reconciler));
      check("watch", () -> watch(client));
      check("patches", () -> patch(client));
    }
    // The SDK ends the process by itself when it gives up a lease, and not with 0.
    Runtime.getRuntime().halt(0);
  }

  interface Check {
    void run() throws Exception;
  }

  static void check(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Throwable failure) {
      System.out.println("failed " + name + ": " + failure);
      failure.printStackTrace(System.out);
      System.exit(1);
    }
  }

  static void expect(boolean holds, Object found) {
    if (!holds) throw new AssertionError(String.valueOf(found));
  }

  static void define(KubernetesClient client) throws Exception {
    File directory = Files.createTempDirectory("definitions").toFile();
    CRDGenerationInfo made =
        new CRDGenerator()
            .inOutputDir(directory)
            .customResources(CustomResourceInfo.fromClass(Page.class))
            .detailedGenerate();
    var file = made.getCRDDetailsPerNameAndVersion().values().iterator().next().get("v1");
    try (var yaml = Files.newInputStream(new File(file.getFilePath()).toPath())) {
      client.load(yaml).serverSideApply();
    }
    client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName("pages.java.example.com")
        .waitUntilCondition(
            found ->
                found != null
                    && found.getStatus() != null
                    && found.getStatus().getConditions().stream()
                        .anyMatch(c -> c.getType().equals("Established")),
            10,
            TimeUnit.SECONDS);
  }

  static void start(Operator operator) throws Exception {
    CompletableFuture.runAsync(operator::start).get(20, TimeUnit.SECONDS);
  }

  static void reconcile(KubernetesClient client) {
    var page = new Page();
    page.setMetadata(new ObjectMetaBuilder().withName("one").withNamespace(namespace).build());
    page.setSpec(new PageSpec());
    page.getSpec().text = "first";
    client.resource(page).create();
    var ready = await(client, "first", 1);
    expect(ready.getMetadata().getFinalizers().size() == 1, ready.getMetadata());
    var pod = client.pods().inNamespace(namespace).withLabel("page", "one").list().getItems().get(0);
    var log = client.pods().resource(pod).getLog();
    expect(log.equals("first\n"), log);
    var output = new ByteArrayOutputStream();
    try (var command =
        client
            .pods()
            .inNamespace(namespace)
            .withName(pod.getMetadata().getName())
            .writingOutput(output)
            .exec("node", "-p", "process.env.TEXT")) {
      expect(command.exitCode().join() == 0, command.exitCode());
    }
    expect(output.toString(StandardCharsets.UTF_8).equals("first\n"), output);
  }

  static Page await(KubernetesClient client, String text, int replicas) {
    return client
        .resources(Page.class)
        .inNamespace(namespace)
        .withName("one")
        .waitUntilCondition(
            page ->
                page.getStatus() != null
                    && text.equals(page.getStatus().text)
                    && Integer.valueOf(replicas).equals(page.getStatus().readyReplicas),
            30,
            TimeUnit.SECONDS);
  }

  /** What the API has added to what was applied is nobody's change: nothing is applied again. */
  static void expectUpdates(int updates) {
    expect(PageConfigMap.updates.get() == updates, "ConfigMap: " + PageConfigMap.updates);
    expect(PageDeployment.updates.get() == updates, "Deployment: " + PageDeployment.updates);
  }

  static void change(KubernetesClient client) {
    client
        .resources(Page.class)
        .inNamespace(namespace)
        .withName("one")
        .edit(
            page -> {
              page.getSpec().text = "second";
              page.getSpec().replicas = 2;
              return page;
            });
    await(client, "second", 2);
    // Each change of the Deployment's status was a reason to compare them.
    expectUpdates(1);
  }

  static void cleanUp(KubernetesClient client, PageReconciler reconciler) {
    client.resources(Page.class).inNamespace(namespace).withName("one").delete();
    client
        .apps()
        .deployments()
        .inNamespace(namespace)
        .withName("one")
        .waitUntilCondition(found -> found == null, 20, TimeUnit.SECONDS);
    expect(reconciler.cleaned.contains("one"), reconciler.cleaned);
    var lease =
        client.leases().inNamespace(namespace).withName("pages").get().getSpec().getHolderIdentity();
    expect(lease != null, "no holder of the lease");
  }

  static void watch(KubernetesClient client) throws Exception {
    var seen = new CompletableFuture<String>();
    var watcher =
        new Watcher<ConfigMap>() {
          @Override
          public void eventReceived(Action action, ConfigMap object) {
            if (object.getMetadata().getName().equals("watched")) seen.complete(action.name());
          }

          @Override
          public void onClose(WatcherException cause) {
            seen.completeExceptionally(cause);
          }
        };
    try (var ignored = client.configMaps().inNamespace(namespace).watch(watcher)) {
      client.resource(newConfigMap("watched", "a", "1")).create();
      var action = seen.get(10, TimeUnit.SECONDS);
      expect(action.equals("ADDED"), action);
    }
  }

  static void patch(KubernetesClient client) {
    var resource = client.resource(newConfigMap("patched", "a", "1"));
    resource.createOr(NonDeletingOperation::update);
    resource.createOr(NonDeletingOperation::update);
    var named = client.configMaps().inNamespace(namespace).withName("patched");
    named.patch(PatchContext.of(PatchType.JSON), "[{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"2\"}]");
    named.patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"data\":{\"c\":\"3\"}}");
    named.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"a\":null}}");
    client.resource(newConfigMap("patched", "d", "4")).fieldManager("other").serverSideApply();
    var data = named.get().getData();
    expect(data.equals(Map.of("b", "2", "c", "3", "d", "4")), data);
    named.withTimeout(10, TimeUnit.SECONDS).delete();
    expect(named.get() == null, "still there");
  }

  static ConfigMap newConfigMap(String name, String key, String value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .endMetadata()
        .withData(Map.of(key, value))
        .build();
  }
}
