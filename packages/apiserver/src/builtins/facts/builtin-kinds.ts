/** A kind that a Kubernetes 1.36 server serves by default; what is left out is the usual. */
export interface BuiltinKindFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly ('status' | 'scale' | 'approval')[];
  /** Whether metadata.generation counts the changes of what is asked for. */
  readonly hasGeneration?: boolean;
  /** Whether a PUT must name the resourceVersion that it was made from. */
  readonly conditionalUpdate?: boolean;
  /** Served verbs; default all eight. */
  readonly verbs?: readonly string[];
}

type Row = Omit<BuiltinKindFacts, 'group'>;
type Rest = Partial<Omit<Row, 'version' | 'kind' | 'namespaced'>>;

function namespaced(version: string, kind: string, rest: Rest = {}): Row {
  return { version, kind, plural: pluralOf(kind), namespaced: true, ...rest };
}

function cluster(version: string, kind: string, rest: Rest = {}): Row {
  return { version, kind, plural: pluralOf(kind), namespaced: false, ...rest };
}

// apimachinery, meta.UnsafeGuessKindToResource: right for all kinds but Endpoints.
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

const all = { categories: ['all'] };
// Registry strategies whose AllowUnconditionalUpdate says no.
const conditional = { conditionalUpdate: true };
const extension = { categories: ['api-extensions'], hasGeneration: true, ...conditional };
const status: Rest = { subresources: ['status'] };
const scaled: Rest = { subresources: ['status', 'scale'], ...all };
const counted = { hasGeneration: true };
const question: Rest = { verbs: ['create'] };
const withoutCollection = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** Group -> its kinds, in every served version. */
const groups: Readonly<Record<string, readonly Row[]>> = {
  '': [
    namespaced('v1', 'Binding', question),
    cluster('v1', 'ComponentStatus', {
      shortNames: ['cs'],
      verbs: ['get', 'list'],
    }),
    namespaced('v1', 'ConfigMap', { shortNames: ['cm'] }),
    namespaced('v1', 'Endpoints', { plural: 'endpoints', shortNames: ['ep'] }),
    namespaced('v1', 'Event', { shortNames: ['ev'] }),
    namespaced('v1', 'LimitRange', { shortNames: ['limits'] }),
    cluster('v1', 'Namespace', {
      shortNames: ['ns'],
      verbs: withoutCollection,
      ...status,
    }),
    cluster('v1', 'Node', { shortNames: ['no'], ...status }),
    cluster('v1', 'PersistentVolume', { shortNames: ['pv'], ...status }),
    namespaced('v1', 'PersistentVolumeClaim', {
      shortNames: ['pvc'],
      ...status,
    }),
    namespaced('v1', 'Pod', { shortNames: ['po'], ...all, ...status, ...counted }),
    namespaced('v1', 'PodTemplate', counted),
    namespaced('v1', 'ReplicationController', {
      shortNames: ['rc'],
      ...scaled,
      ...counted,
    }),
    namespaced('v1', 'ResourceQuota', { shortNames: ['quota'], ...status }),
    namespaced('v1', 'Secret'),
    namespaced('v1', 'Service', { shortNames: ['svc'], ...all, ...status }),
    namespaced('v1', 'ServiceAccount', { shortNames: ['sa'] }),
  ],
  'admissionregistration.k8s.io': [
    cluster('v1', 'MutatingAdmissionPolicy', extension),
    cluster('v1', 'MutatingAdmissionPolicyBinding', extension),
    cluster('v1', 'MutatingWebhookConfiguration', extension),
    cluster('v1', 'ValidatingAdmissionPolicy', {
      ...extension,
      ...status,
    }),
    cluster('v1', 'ValidatingAdmissionPolicyBinding', {
      ...extension,
    }),
    cluster('v1', 'ValidatingWebhookConfiguration', extension),
  ],
  'apiextensions.k8s.io': [
    cluster('v1', 'CustomResourceDefinition', {
      shortNames: ['crd', 'crds'],
      ...extension,
      ...status,
    }),
  ],
  'apiregistration.k8s.io': [
    cluster('v1', 'APIService', { categories: ['api-extensions'], ...status, ...conditional }),
  ],
  apps: [
    namespaced('v1', 'ControllerRevision'),
    namespaced('v1', 'DaemonSet', {
      shortNames: ['ds'],
      ...all,
      ...status,
      ...counted,
    }),
    namespaced('v1', 'Deployment', {
      shortNames: ['deploy'],
      ...scaled,
      ...counted,
    }),
    namespaced('v1', 'ReplicaSet', { shortNames: ['rs'], ...scaled, ...counted }),
    namespaced('v1', 'StatefulSet', { shortNames: ['sts'], ...scaled, ...counted }),
  ],
  'authentication.k8s.io': [
    cluster('v1', 'SelfSubjectReview', question),
    cluster('v1', 'TokenReview', question),
  ],
  'authorization.k8s.io': [
    namespaced('v1', 'LocalSubjectAccessReview', question),
    cluster('v1', 'SelfSubjectAccessReview', question),
    cluster('v1', 'SelfSubjectRulesReview', question),
    cluster('v1', 'SubjectAccessReview', question),
  ],
  autoscaling: [
    namespaced('v1', 'HorizontalPodAutoscaler', {
      shortNames: ['hpa'],
      ...all,
      ...status,
    }),
    namespaced('v2', 'HorizontalPodAutoscaler', {
      shortNames: ['hpa'],
      ...all,
      ...status,
    }),
  ],
  batch: [
    namespaced('v1', 'CronJob', { shortNames: ['cj'], ...all, ...status, ...counted }),
    namespaced('v1', 'Job', { ...all, ...status, ...counted }),
  ],
  'certificates.k8s.io': [
    cluster('v1', 'CertificateSigningRequest', {
      shortNames: ['csr'],
      subresources: ['status', 'approval'],
    }),
  ],
  'coordination.k8s.io': [namespaced('v1', 'Lease', conditional)],
  'discovery.k8s.io': [namespaced('v1', 'EndpointSlice', counted)],
  'events.k8s.io': [namespaced('v1', 'Event', { shortNames: ['ev'] })],
  'flowcontrol.apiserver.k8s.io': [
    cluster('v1', 'FlowSchema', { ...status, ...counted }),
    cluster('v1', 'PriorityLevelConfiguration', {
      ...status,
      ...counted,
    }),
  ],
  'networking.k8s.io': [
    namespaced('v1', 'Ingress', { shortNames: ['ing'], ...status, ...counted }),
    cluster('v1', 'IngressClass', counted),
    cluster('v1', 'IPAddress', { shortNames: ['ip'] }),
    namespaced('v1', 'NetworkPolicy', { shortNames: ['netpol'], ...counted }),
    cluster('v1', 'ServiceCIDR', status),
  ],
  'node.k8s.io': [cluster('v1', 'RuntimeClass', conditional)],
  policy: [
    namespaced('v1', 'PodDisruptionBudget', {
      shortNames: ['pdb'],
      ...status,
      ...counted,
      ...conditional,
    }),
  ],
  'rbac.authorization.k8s.io': [
    cluster('v1', 'ClusterRole'),
    cluster('v1', 'ClusterRoleBinding'),
    namespaced('v1', 'Role'),
    namespaced('v1', 'RoleBinding'),
  ],
  'resource.k8s.io': [
    cluster('v1', 'DeviceClass', counted),
    namespaced('v1', 'ResourceClaim', status),
    namespaced('v1', 'ResourceClaimTemplate'),
    cluster('v1', 'ResourceSlice', counted),
  ],
  'scheduling.k8s.io': [cluster('v1', 'PriorityClass', { shortNames: ['pc'], ...counted })],
  'storage.k8s.io': [
    cluster('v1', 'CSIDriver', conditional),
    cluster('v1', 'CSINode', conditional),
    namespaced('v1', 'CSIStorageCapacity', conditional),
    cluster('v1', 'StorageClass', { shortNames: ['sc'] }),
    cluster('v1', 'VolumeAttachment', { ...status, ...conditional }),
    cluster('v1', 'VolumeAttributesClass', { shortNames: ['vac'] }),
  ],
};

/** Every kind that a Kubernetes 1.36 server serves by default, in the order of its groups. */
export const builtinKinds: readonly BuiltinKindFacts[] = Object.entries(groups).flatMap(
  ([group, rows]) => rows.map((row) => ({ group, ...row })),
);
