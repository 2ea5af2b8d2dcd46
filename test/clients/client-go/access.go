package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type object = runtime.Object

func checkToken(ctx context.Context, all *clients) error {
	core, rights := all.typed.CoreV1(), all.typed.RbacV1()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "reader"}}
	if _, err := core.ServiceAccounts(namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := rights.Roles(namespace).Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}},
	}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := rights.RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: "reader", Namespace: namespace}},
	}, metav1.CreateOptions{}); err != nil {
		return err
	}
	token, err := core.ServiceAccounts(namespace).CreateToken(ctx, "reader",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(all.config)
	config.BearerToken = token.Status.Token
	reader, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if _, err := reader.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{}); err != nil {
		return err
	}
	_, err = reader.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		return fmt.Errorf("found %v, expected that secrets are forbidden", err)
	}
	review, err := reader.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx,
		&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: "list", Resource: "configmaps",
			},
		}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return expect(review.Status.Allowed, "found that it is not allowed")
}

func checkLeaderElection(ctx context.Context, all *clients) error {
	lead := func(ctx context.Context, identity string, started chan<- string) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "leader"},
				Client:     all.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
			},
			LeaseDuration:   3 * time.Second,
			RenewDeadline:   2 * time.Second,
			RetryPeriod:     200 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { started <- identity },
				OnStoppedLeading: func() {},
			},
		})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	started := make(chan string, 2)
	firstCtx, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	go lead(firstCtx, "first", started)
	next := func() (string, error) {
		select {
		case identity := <-started:
			return identity, nil
		case <-time.After(20 * time.Second):
			return "", errors.New("nobody leads")
		}
	}
	if identity, err := next(); err != nil || identity != "first" {
		return fmt.Errorf("found %q: %w", identity, err)
	}
	go lead(ctx, "second", started)
	stopFirst()
	identity, err := next()
	if err != nil {
		return err
	}
	return expect(identity == "second", "found %q", identity)
}

func checkNamespace(ctx context.Context, all *clients) error {
	namespaces := all.typed.CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			_, err := namespaces.Get(ctx, namespace, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return true, nil
			}
			return false, err
		})
}
