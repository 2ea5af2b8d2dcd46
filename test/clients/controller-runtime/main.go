// An operator as people write them in Go: a controller of controller-runtime for a kind of its own,
// with an owned ConfigMap, a finalizer, a status and leader election, against whatever KUBECONFIG
// names. It makes its kind and three objects, waits for what must come of them, and prints "ok
// <check>", or "failed <check>: <why>" and ends with 1.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	namespace = "default"
	finalizer = "example.com/greeter"
)

var greetingKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Greeting"}

func newGreeting(name string) *unstructured.Unstructured {
	greeting := &unstructured.Unstructured{}
	greeting.SetGroupVersionKind(greetingKind)
	greeting.SetName(name)
	greeting.SetNamespace(namespace)
	return greeting
}

type greeter struct {
	client.Client
	cleaned chan string
}

func (g *greeter) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	greeting := newGreeting(request.Name)
	if err := g.Get(ctx, request.NamespacedName, greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !greeting.GetDeletionTimestamp().IsZero() {
		if controllerutil.RemoveFinalizer(greeting, finalizer) {
			g.cleaned <- greeting.GetName()
			return ctrl.Result{}, g.Update(ctx, greeting)
		}
		return ctrl.Result{}, nil
	}
	// The run goes on: a finalizer changes no generation, so no event of it passes the predicate.
	if controllerutil.AddFinalizer(greeting, finalizer) {
		if err := g.Update(ctx, greeting); err != nil {
			return ctrl.Result{}, err
		}
	}
	who, _, err := unstructured.NestedString(greeting.Object, "spec", "who")
	if err != nil {
		return ctrl.Result{}, err
	}
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: request.Name, Namespace: request.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, g.Client, child, func() error {
		child.Data = map[string]string{"text": "Hello " + who}
		return controllerutil.SetControllerReference(greeting, child, g.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	before := greeting.DeepCopy()
	if err := unstructured.SetNestedMap(greeting.Object, map[string]any{
		"observedGeneration": greeting.GetGeneration(), "text": child.Data["text"],
	}, "status"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, g.Status().Patch(ctx, greeting, client.MergeFrom(before))
}

func crd() *unstructured.Unstructured {
	object := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "greetings.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "greetings", "kind": "Greeting"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": object, "status": object},
				}},
			}},
		},
	}}
}

// until waits for a condition that needs several tries: the object may not be there yet.
func until(ctx context.Context, holds func(context.Context) (bool, error)) error {
	return wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			done, err := holds(ctx)
			if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
				return false, nil
			}
			return done, err
		})
}

func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	direct, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	if err := direct.Create(ctx, crd()); err != nil {
		return err
	}
	if err := until(ctx, func(ctx context.Context) (bool, error) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(greetingKind)
		err := direct.List(ctx, list)
		return err == nil, err
	}); err != nil {
		return fmt.Errorf("the kind: %w", err)
	}
	all, err := manager.New(config, manager.Options{
		LeaderElection:          true,
		LeaderElectionID:        "greeter",
		LeaderElectionNamespace: namespace,
		Metrics:                 server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	controller := &greeter{all.GetClient(), make(chan string, 10)}
	if err := ctrl.NewControllerManagedBy(all).
		Named("greeter").
		For(newGreeting(""), builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Owns(&corev1.ConfigMap{}).
		Complete(controller); err != nil {
		return err
	}
	stopped := make(chan error, 1)
	managed, stop := context.WithCancel(ctx)
	go func() { stopped <- all.Start(managed) }()
	err = play(ctx, direct, controller)
	stop()
	if end := <-stopped; err == nil {
		err = end
	}
	return err
}

func play(ctx context.Context, direct client.Client, controller *greeter) error {
	names := []string{"one", "two", "three"}
	for _, name := range names {
		greeting := newGreeting(name)
		if err := unstructured.SetNestedField(greeting.Object, name, "spec", "who"); err != nil {
			return err
		}
		if err := direct.Create(ctx, greeting); err != nil {
			return err
		}
	}
	text := func(name, wanted string) error {
		return until(ctx, func(ctx context.Context) (bool, error) {
			child, greeting := &corev1.ConfigMap{}, newGreeting(name)
			key := client.ObjectKeyFromObject(greeting)
			if err := direct.Get(ctx, key, child); err != nil {
				return false, err
			}
			if err := direct.Get(ctx, key, greeting); err != nil {
				return false, err
			}
			said, _, err := unstructured.NestedString(greeting.Object, "status", "text")
			return said == wanted && child.Data["text"] == wanted, err
		})
	}
	for _, name := range names {
		if err := text(name, "Hello "+name); err != nil {
			return fmt.Errorf("child and status of %s: %w", name, err)
		}
	}
	fmt.Println("ok children and statuses")
	changed := newGreeting("one")
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"who":"all"}}`))
	if err := direct.Patch(ctx, changed, patch); err != nil {
		return err
	}
	if err := text("one", "Hello all"); err != nil {
		return fmt.Errorf("a change: %w", err)
	}
	fmt.Println("ok a change")
	drifted := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: namespace}}
	if err := direct.Delete(ctx, drifted); err != nil {
		return err
	}
	if err := text("two", "Hello two"); err != nil {
		return fmt.Errorf("a child that was deleted: %w", err)
	}
	fmt.Println("ok a child that was deleted comes back")
	foreground := client.PropagationPolicy(metav1.DeletePropagationForeground)
	if err := direct.Delete(ctx, newGreeting("three"), foreground); err != nil {
		return err
	}
	if cleaned := <-controller.cleaned; cleaned != "three" {
		return fmt.Errorf("found that %q was cleaned", cleaned)
	}
	if err := until(ctx, func(ctx context.Context) (bool, error) {
		key := client.ObjectKey{Namespace: namespace, Name: "three"}
		child := direct.Get(ctx, key, &corev1.ConfigMap{})
		owner := direct.Get(ctx, key, newGreeting("three"))
		return apierrors.IsNotFound(child) && apierrors.IsNotFound(owner), nil
	}); err != nil {
		return fmt.Errorf("a deletion: %w", err)
	}
	fmt.Println("ok a deletion with finalizer and owned objects")
	return nil
}

func main() {
	ctrl.SetLogger(zap.New())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Printf("failed %v\n", err)
		os.Exit(1)
	}
}
