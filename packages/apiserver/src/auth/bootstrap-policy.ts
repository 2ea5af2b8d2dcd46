import type { PolicyRule } from './policy-rule.ts';
import { editRecordRules, viewRecordRules } from './record-rules.ts';

/** A ClusterRole that is always there; as in Kubernetes, and those for Fnlet's own kinds. */
export interface BootstrapRole {
  readonly name: string;
  /** Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The label that gathers this role's rules from others. Default: it has rules of its own. */
  readonly aggregates?: string;
  readonly rules: readonly PolicyRule[];
}

/** Binds a ClusterRole to groups. */
export interface BootstrapBinding {
  /** Both of the binding and of its role. */
  readonly name: string;
  readonly groups: readonly string[];
}

const read = 'get list watch';
const write = 'create delete deletecollection patch update';

function rule(group: string, resources: string, verbs: string): PolicyRule {
  return {
    verbs: verbs.split(' '),
    apiGroups: [group],
    resources: resources.split(' '),
    resourceNames: [],
    nonResourceURLs: [],
  };
}

function paths(nonResourceURLs: string): PolicyRule {
  return {
    verbs: ['get'],
    apiGroups: [],
    resources: [],
    resourceNames: [],
    nonResourceURLs: nonResourceURLs.split(' '),
  };
}

const label = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;
const into = (role: string): { labels: Record<string, string> } => ({
  labels: { [label(role)]: 'true' },
});

const viewRules: readonly PolicyRule[] = [
  rule(
    '',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods ' +
      'replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    read,
  ),
  rule(
    '',
    'bindings events limitranges namespaces/status pods/log pods/status ' +
      'replicationcontrollers/status resourcequotas resourcequotas/status',
    read,
  ),
  rule('', 'namespaces', read),
  rule('discovery.k8s.io', 'endpointslices', read),
  rule(
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale ' +
      'deployments/status replicasets replicasets/scale replicasets/status statefulsets ' +
      'statefulsets/scale statefulsets/status',
    read,
  ),
  rule('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', read),
  rule('batch', 'cronjobs cronjobs/status jobs jobs/status', read),
  rule('policy', 'poddisruptionbudgets poddisruptionbudgets/status', read),
  rule('networking.k8s.io', 'ingresses ingresses/status networkpolicies', read),
];

const editRules: readonly PolicyRule[] = [
  rule('', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', read),
  rule('', 'serviceaccounts', 'impersonate'),
  rule('', 'pods pods/attach pods/exec pods/portforward pods/proxy', write),
  rule('', 'pods/eviction', 'create'),
  rule(
    '',
    'configmaps events persistentvolumeclaims replicationcontrollers ' +
      'replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    write,
  ),
  rule('', 'serviceaccounts/token', 'create'),
  rule(
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets ' +
      'replicasets/scale statefulsets statefulsets/scale',
    write,
  ),
  rule('autoscaling', 'horizontalpodautoscalers', write),
  rule('batch', 'cronjobs jobs', write),
  rule('policy', 'poddisruptionbudgets', write),
  rule('networking.k8s.io', 'ingresses networkpolicies', write),
  rule('coordination.k8s.io', 'leases', `${write} ${read}`),
];

const adminRules: readonly PolicyRule[] = [
  rule('authorization.k8s.io', 'localsubjectaccessreviews', 'create'),
  rule('rbac.authorization.k8s.io', 'rolebindings roles', `${write} ${read}`),
];

// Revisions are made by Fnlet alone: whoever edits Functions reads them. A Runtime is a program of
// the machine: only administrators of the cluster write those.
const fnletKinds =
  'functions functions/status functions/scale revisions revisions/status runtimes runtimes/status';

const kymaGroup = 'serverless.kyma-project.io';

/** In the order in which they are made: those that gather come after those that are gathered. */
export const bootstrapRoles: readonly BootstrapRole[] = [
  {
    name: 'cluster-admin',
    rules: [rule('*', '*', '*'), { ...paths('*'), verbs: ['*'] }],
  },
  {
    name: 'system:discovery',
    rules: [
      paths(
        '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      ),
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [paths('/healthz /livez /readyz /version /version/')],
  },
  {
    name: 'system:monitoring',
    rules: [paths('/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*')],
  },
  {
    name: 'system:basic-user',
    rules: [
      rule('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'),
      rule('authentication.k8s.io', 'selfsubjectreviews', 'create'),
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      rule('authentication.k8s.io', 'tokenreviews', 'create'),
      rule('authorization.k8s.io', 'subjectaccessreviews', 'create'),
    ],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      paths(
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ],
  },
  { name: 'system:aggregate-to-view', ...into('view'), rules: viewRules },
  { name: 'system:aggregate-to-edit', ...into('edit'), rules: editRules },
  { name: 'system:aggregate-to-admin', ...into('admin'), rules: adminRules },
  {
    name: 'fnlet:aggregate-to-view',
    ...into('view'),
    rules: [rule('fnlet.dev', fnletKinds, read), ...viewRecordRules],
  },
  {
    name: 'fnlet:aggregate-to-edit',
    ...into('edit'),
    rules: [rule('fnlet.dev', 'functions functions/scale', write), ...editRecordRules],
  },
  // Kyma's own names for what people who have its Functions may do.
  {
    name: 'kyma-functions-view',
    ...into('view'),
    rules: [rule(kymaGroup, 'functions functions/status functions/scale', read)],
  },
  {
    name: 'kyma-functions-edit',
    ...into('edit'),
    rules: [rule(kymaGroup, 'functions functions/scale', write)],
  },
  { name: 'view', ...into('edit'), aggregates: label('view'), rules: [] },
  { name: 'edit', ...into('admin'), aggregates: label('edit'), rules: [] },
  { name: 'admin', aggregates: label('admin'), rules: [] },
];

const everybody = ['system:authenticated', 'system:unauthenticated'];

export const bootstrapBindings: readonly BootstrapBinding[] = [
  { name: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:public-info-viewer', groups: everybody },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
  { name: 'system:service-account-issuer-discovery', groups: ['system:serviceaccounts'] },
];
