// What a Go program does with client-go, one check a line. It speaks to whatever KUBECONFIG names
// and needs nothing of its own there. Prints "ok <check>", or "failed <check>: <why>" and ends
// with 1.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
)

const namespace = "client-go"

type check struct {
	name string
	run  func(context.Context, *clients) error
}

type clients struct {
	config *rest.Config
	// Typed clients send and ask for protobuf, as programs of Kubernetes itself do.
	typed    kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

var checks = []check{
	{"a typed create, get and list in protobuf", checkTyped},
	{"a name that is taken, one that is not there and one that is not valid", checkErrors},
	{"an update that lost a race is a conflict, and retried", checkConflict},
	{"strategic merge, merge and JSON patches", checkPatches},
	{"server-side apply and its conflicts", checkApply},
	{"a shared informer sees what is added, changed and deleted", checkInformer},
	{"an informer of metadata", checkMetadataInformer},
	{"a list in pages", checkPages},
	{"a watch from a version", checkWatch},
	{"discovery and the mapping of kinds", checkDiscovery},
	{"the dynamic client", checkDynamic},
	{"the scale of a Deployment", checkScale},
	{"a token of a ServiceAccount and its rights", checkToken},
	{"leader election", checkLeaderElection},
	{"a namespace that is deleted", checkNamespace},
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	all, err := connect()
	if err == nil {
		_, err = all.typed.CoreV1().Namespaces().Create(ctx,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	}
	if err != nil {
		fmt.Printf("failed to connect: %v\n", err)
		os.Exit(1)
	}
	failed := false
	for _, one := range checks {
		if err := one.run(ctx, all); err != nil {
			failed = true
			fmt.Printf("failed %s: %v\n", one.name, err)
		} else {
			fmt.Printf("ok %s\n", one.name)
		}
	}
	if failed {
		os.Exit(1)
	}
}

func connect() (*clients, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	all := &clients{config: config}
	if all.typed, err = kubernetes.NewForConfig(binary); err != nil {
		return nil, err
	}
	if all.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	all.metadata, err = metadata.NewForConfig(config)
	return all, err
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"made-by": "client-go"}},
		Data:       data,
	}
}

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	none := int32(0)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &none,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{
					{Name: "one", Image: "example.com/one:1", Env: []corev1.EnvVar{{Name: "A", Value: "1"}}},
				}},
			},
		},
	}
}

func expect(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func checkTyped(ctx context.Context, all *clients) error {
	deployments := all.typed.AppsV1().Deployments(namespace)
	made, err := deployments.Create(ctx, deployment("typed"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	strategy := made.Spec.Strategy.Type
	if strategy != appsv1.RollingUpdateDeploymentStrategyType || made.Generation != 1 {
		return fmt.Errorf("found strategy %q and generation %d", strategy, made.Generation)
	}
	list, err := deployments.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return expect(len(list.Items) == 1 && list.ResourceVersion != "", "found %d items", len(list.Items))
}

func checkErrors(ctx context.Context, all *clients) error {
	maps := all.typed.CoreV1().ConfigMaps(namespace)
	if _, err := maps.Create(ctx, configMap("taken", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, taken := maps.Create(ctx, configMap("taken", nil), metav1.CreateOptions{})
	_, missing := maps.Get(ctx, "missing", metav1.GetOptions{})
	_, invalid := maps.Create(ctx, configMap("Not_Valid", nil), metav1.CreateOptions{})
	return expect(
		apierrors.IsAlreadyExists(taken) && apierrors.IsNotFound(missing) && apierrors.IsInvalid(invalid),
		"found %v; %v; %v", taken, missing, invalid)
}

func checkConflict(ctx context.Context, all *clients) error {
	maps := all.typed.CoreV1().ConfigMaps(namespace)
	stale, err := maps.Create(ctx, configMap("race", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	winner := stale.DeepCopy()
	winner.Data = map[string]string{"winner": "yes"}
	if _, err := maps.Update(ctx, winner, metav1.UpdateOptions{}); err != nil {
		return err
	}
	stale.Data = map[string]string{"stale": "yes"}
	if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("found %v, expected a conflict", err)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := maps.Get(ctx, "race", metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Data["late"] = "yes"
		_, err = maps.Update(ctx, current, metav1.UpdateOptions{})
		return err
	})
}

func checkPatches(ctx context.Context, all *clients) error {
	deployments := all.typed.AppsV1().Deployments(namespace)
	if _, err := deployments.Create(ctx, deployment("patched"), metav1.CreateOptions{}); err != nil {
		return err
	}
	patches := []struct {
		kind types.PatchType
		body string
	}{
		{types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[
			{"name":"one","env":[{"name":"B","value":"2"}]}]}}}}`},
		{types.MergePatchType, `{"metadata":{"labels":{"merged":"yes"}}}`},
		{types.JSONPatchType, `[{"op":"test","path":"/metadata/labels/merged","value":"yes"},
			{"op":"add","path":"/metadata/annotations","value":{"patched":"yes"}}]`},
	}
	var patched *appsv1.Deployment
	for _, patch := range patches {
		var err error
		patched, err = deployments.Patch(ctx, "patched", patch.kind, []byte(patch.body), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", patch.kind, err)
		}
	}
	env := patched.Spec.Template.Spec.Containers[0].Env
	return expect(len(env) == 2 && patched.Annotations["patched"] == "yes", "found %v", env)
}

func checkApply(ctx context.Context, all *clients) error {
	maps := all.typed.CoreV1().ConfigMaps(namespace)
	wanted := func(value string) *applycorev1.ConfigMapApplyConfiguration {
		return applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"key": value})
	}
	first, err := maps.Apply(ctx, wanted("1"), metav1.ApplyOptions{FieldManager: "one"})
	if err != nil {
		return err
	}
	again, err := maps.Apply(ctx, wanted("1"), metav1.ApplyOptions{FieldManager: "one"})
	if err != nil || again.ResourceVersion != first.ResourceVersion {
		return fmt.Errorf("an apply of the same wrote: %v", err)
	}
	_, err = maps.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "two"})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("found %v, expected a conflict", err)
	}
	forced, err := maps.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	extracted, err := applycorev1.ExtractConfigMap(forced, "two")
	if err != nil {
		return err
	}
	return expect(extracted.Data["key"] == "2", "found %v", extracted.Data)
}

// seen collects the events of an informer.
type seen struct {
	sync.Mutex
	events []string
}

func (s *seen) handler() cache.ResourceEventHandlerFuncs {
	add := func(what string, object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		name := "?"
		if accessor, err := meta.Accessor(object); err == nil {
			name = accessor.GetName()
		}
		s.Lock()
		defer s.Unlock()
		s.events = append(s.events, what+" "+name)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { add("add", object) },
		UpdateFunc: func(_, object any) { add("update", object) },
		DeleteFunc: func(object any) { add("delete", object) },
	}
}

func (s *seen) until(ctx context.Context, wanted ...string) error {
	err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, 20*time.Second, true,
		func(context.Context) (bool, error) {
			s.Lock()
			defer s.Unlock()
			at := 0
			for _, event := range s.events {
				if at < len(wanted) && event == wanted[at] {
					at++
				}
			}
			return at == len(wanted), nil
		})
	if err != nil {
		s.Lock()
		defer s.Unlock()
		return fmt.Errorf("found %v, expected %v", s.events, wanted)
	}
	return nil
}

func checkInformer(ctx context.Context, all *clients) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(all.typed, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	events := &seen{}
	if _, err := informer.AddEventHandler(events.handler()); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the cache does not fill")
	}
	return playWithMap(ctx, all, "informed", events)
}

func checkMetadataInformer(ctx context.Context, all *clients) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	events := &seen{}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: &cache.ListWatch{
			ListFunc: func(options metav1.ListOptions) (object, error) {
				return all.metadata.Resource(resource).Namespace(namespace).List(ctx, options)
			},
			WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
				return all.metadata.Resource(resource).Namespace(namespace).Watch(ctx, options)
			},
		},
		ObjectType: &metav1.PartialObjectMetadata{},
		Handler:    events.handler(),
	})
	go informer.Run(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the cache does not fill")
	}
	return playWithMap(ctx, all, "outlined", events)
}

func playWithMap(ctx context.Context, all *clients, name string, events *seen) error {
	maps := all.typed.CoreV1().ConfigMaps(namespace)
	made, err := maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Data = map[string]string{"changed": "yes"}
	if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return events.until(ctx, "add "+name, "update "+name, "delete "+name)
}

func checkPages(ctx context.Context, all *clients) error {
	maps := all.typed.CoreV1().ConfigMaps(namespace)
	for i := range 25 {
		one := configMap(fmt.Sprintf("page-%02d", i), nil)
		one.Labels["paged"] = "yes"
		if _, err := maps.Create(ctx, one, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	options := metav1.ListOptions{LabelSelector: "paged=yes", Limit: 10}
	sizes := []int{}
	for {
		page, err := maps.List(ctx, options)
		if err != nil {
			return err
		}
		sizes = append(sizes, len(page.Items))
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
	}
	return expect(fmt.Sprint(sizes) == "[10 10 5]", "found pages of %v", sizes)
}

func checkWatch(ctx context.Context, all *clients) error {
	maps := all.typed.CoreV1().ConfigMaps(namespace)
	made, err := maps.Create(ctx, configMap("watched", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := maps.Delete(ctx, "watched", metav1.DeleteOptions{}); err != nil {
		return err
	}
	watcher, err := maps.Watch(ctx, metav1.ListOptions{
		FieldSelector:   "metadata.name=watched",
		ResourceVersion: made.ResourceVersion,
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	select {
	case event := <-watcher.ResultChan():
		return expect(event.Type == watch.Deleted, "found %s", event.Type)
	case <-time.After(10 * time.Second):
		return errors.New("nothing came")
	}
}

func checkDiscovery(_ context.Context, all *clients) error {
	client, err := discovery.NewDiscoveryClientForConfig(all.config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "fnlet.dev", Kind: "Function"})
	if err != nil {
		return err
	}
	if _, err := client.OpenAPISchema(); err != nil {
		return fmt.Errorf("OpenAPI v2: %w", err)
	}
	paths, err := client.OpenAPIV3().Paths()
	if err != nil {
		return fmt.Errorf("OpenAPI v3: %w", err)
	}
	_, hasFnlet := paths["apis/fnlet.dev/v1alpha1"]
	return expect(hasFnlet && mapping.Resource.Resource == "functions", "found %v", mapping.Resource)
}

func checkDynamic(ctx context.Context, all *clients) error {
	functions := all.dynamic.Resource(schema.GroupVersionResource{
		Group: "fnlet.dev", Version: "v1alpha1", Resource: "functions",
	}).Namespace(namespace)
	wanted := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "fnlet.dev/v1alpha1",
		"kind":       "Function",
		"metadata":   map[string]any{"name": "hello"},
		"spec": map[string]any{
			"runtime": "nodejs24",
			"source":  map[string]any{"inline": "export default () => 'hello';"},
		},
	}}
	if _, err := functions.Apply(ctx, "hello", wanted, metav1.ApplyOptions{FieldManager: "go"}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			live, err := functions.Get(ctx, "hello", metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			conditions, _, err := unstructured.NestedSlice(live.Object, "status", "conditions")
			text, _ := json.Marshal(conditions)
			for _, condition := range conditions {
				fields, ok := condition.(map[string]any)
				if ok && fields["type"] == "Ready" && fields["status"] == "True" {
					return true, nil
				}
				if ok && fields["type"] == "Ready" && fields["status"] == "False" {
					return false, fmt.Errorf("found %s", text)
				}
			}
			return false, err
		})
}

func checkScale(ctx context.Context, all *clients) error {
	deployments := all.typed.AppsV1().Deployments(namespace)
	if _, err := deployments.Create(ctx, deployment("scaled"), metav1.CreateOptions{}); err != nil {
		return err
	}
	var scaled *autoscalingv1.Scale
	// The controller of Deployments may write in between.
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		scale, err := deployments.GetScale(ctx, "scaled", metav1.GetOptions{})
		if err != nil {
			return err
		}
		scale.Spec.Replicas = 2
		scaled, err = deployments.UpdateScale(ctx, "scaled", scale, metav1.UpdateOptions{})
		return err
	}); err != nil {
		return err
	}
	return expect(scaled.Spec.Replicas == 2, "found %d", scaled.Spec.Replicas)
}
