// What the registries of kube-apiserver say about objects: one JSON object a line in, its refusals
// out. Built against the release that go.mod names; see record.ts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
)

var strategies = map[string]rest.RESTCreateStrategy{
	"v1/ConfigMap":                             configmap.Strategy,
	"v1/Endpoints":                             endpoint.Strategy,
	"v1/LimitRange":                            limitrange.Strategy,
	"v1/Namespace":                             namespace.Strategy,
	"v1/PersistentVolumeClaim":                 persistentvolumeclaim.Strategy,
	"v1/Pod":                                   pod.Strategy,
	"v1/ResourceQuota":                         resourcequota.Strategy,
	"v1/Secret":                                secret.Strategy,
	"v1/Service":                               service.Strategy,
	"v1/ServiceAccount":                        serviceaccount.Strategy,
	"apps/v1/DaemonSet":                        daemonset.Strategy,
	"apps/v1/Deployment":                       deployment.Strategy,
	"apps/v1/ReplicaSet":                       replicaset.Strategy,
	"apps/v1/StatefulSet":                      statefulset.Strategy,
	"autoscaling/v2/HorizontalPodAutoscaler":   horizontalpodautoscaler.Strategy,
	"batch/v1/CronJob":                         cronjob.Strategy,
	"batch/v1/Job":                             job.Strategy,
	"coordination.k8s.io/v1/Lease":             lease.Strategy,
	"discovery.k8s.io/v1/EndpointSlice":        endpointslice.Strategy,
	"networking.k8s.io/v1/Ingress":             ingress.Strategy,
	"networking.k8s.io/v1/IngressClass":        ingressclass.Strategy,
	"networking.k8s.io/v1/NetworkPolicy":       networkpolicy.Strategy,
	"policy/v1/PodDisruptionBudget":            poddisruptionbudget.Strategy,
	"rbac.authorization.k8s.io/v1/ClusterRole": clusterrole.Strategy,
	"rbac.authorization.k8s.io/v1/Role":        role.Strategy,
	"rbac.authorization.k8s.io/v1/RoleBinding": rolebinding.Strategy,
	"scheduling.k8s.io/v1/PriorityClass":       priorityclass.Strategy,
	"storage.k8s.io/v1/StorageClass":           storageclass.Strategy,
}

// Verdict is what is said about one object; Undecided when it could not even be read.
type Verdict struct {
	Refusals  []string `json:"refusals"`
	Undecided string   `json:"undecided,omitempty"`
}

func judge(raw []byte) (verdict Verdict) {
	defer func() {
		if problem := recover(); problem != nil {
			verdict = Verdict{Undecided: fmt.Sprint("panic: ", problem)}
		}
	}()
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if err != nil {
		return Verdict{Undecided: err.Error()}
	}
	legacyscheme.Scheme.Default(object)
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{
		Group: kind.Group, Version: runtime.APIVersionInternal,
	})
	if err != nil {
		return Verdict{Undecided: err.Error()}
	}
	strategy, known := strategies[kind.GroupVersion().String()+"/"+kind.Kind]
	if !known {
		return Verdict{Undecided: "no registry of " + kind.String()}
	}
	place := ""
	if strategy.NamespaceScoped() {
		place = "default"
	}
	ctx := request.WithNamespace(context.Background(), place)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{APIGroup: kind.Group, APIVersion: kind.Version})
	metadata, err := meta.Accessor(internal)
	if err != nil {
		return Verdict{Undecided: err.Error()}
	}
	rest.FillObjectMetaSystemFields(metadata)
	if place != "" {
		if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(place, metadata); err != nil {
			return Verdict{Undecided: err.Error()}
		}
	}
	return told(rest.BeforeCreate(strategy, ctx, internal))
}

func told(err error) Verdict {
	refusals := []string{}
	if err == nil {
		return Verdict{Refusals: refusals}
	}
	status, known := err.(apierrors.APIStatus)
	if !known || status.Status().Details == nil {
		return Verdict{Undecided: err.Error()}
	}
	for _, cause := range status.Status().Details.Causes {
		refusals = append(refusals, cause.Field+": "+cause.Message)
	}
	return Verdict{Refusals: refusals}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		if err := answers.Encode(judge(lines.Bytes())); err != nil {
			panic(err)
		}
	}
}
