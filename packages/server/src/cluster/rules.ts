/**
 * What the parts of Fnlet may do in a cluster, and nothing else: manifests of roles are made from
 * these lists, and the tests of cluster mode run with them.
 */
import { type MetricsGroup, metricsVersions } from '../metrics-api/measured-metric.ts';
import { clusterNames, recordGroups, recordsVersion, watchedLabel } from './names.ts';

export {
  customMetricsGroup,
  externalMetricsGroup,
  type MetricsGroup,
  metricsResources,
  metricsVersions,
} from '../metrics-api/measured-metric.ts';

/** A rule of a Role or ClusterRole (rbac.authorization.k8s.io/v1 PolicyRule). */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The rules of one ServiceAccount. */
export interface AccountRules {
  /** In all namespaces: a ClusterRole, bound by a ClusterRoleBinding. */
  readonly cluster: readonly AccessRule[];
  /** In the namespace of the installation: a Role, bound by a RoleBinding. */
  readonly namespace: readonly AccessRule[];
}

const reads = ['get', 'list', 'watch'] as const;
const fnlet = ['fnlet.dev'] as const;
const core = [''] as const;

/** Kinds whose objects own what is made for them. */
const made = ['functions', 'revisions', 'triggers', 'brokers', 'operators'];

/** Of the controller's ServiceAccount. */
export const controllerRules: AccountRules = {
  cluster: [
    { apiGroups: fnlet, resources: ['triggers', 'brokers'], verbs: reads },
    // An Operator may bring its Function.
    { apiGroups: fnlet, resources: ['functions'], verbs: [...reads, 'create', 'patch'] },
    // It has a finalizer while its objects may have one.
    { apiGroups: fnlet, resources: ['operators'], verbs: [...reads, 'patch'] },
    {
      apiGroups: fnlet,
      resources: ['revisions'],
      verbs: [...reads, 'create', 'patch', 'delete'],
    },
    { apiGroups: fnlet, resources: ['runtimes'], verbs: [...reads, 'create'] },
    {
      apiGroups: fnlet,
      resources: [...made, 'runtimes'].map((plural) => `${plural}/status`),
      verbs: ['patch'],
    },
    // What a controller owns may block the deletion of its owner (OwnerReferencesPermissionEnforcement).
    {
      apiGroups: fnlet,
      resources: made.map((plural) => `${plural}/finalizers`),
      verbs: ['update'],
    },
    // Pods are made by their Deployments; they are claimed, and ended.
    { apiGroups: core, resources: ['pods'], verbs: [...reads, 'patch', 'delete'] },
    {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: [...reads, 'create', 'patch', 'delete'],
    },
    // Environments, mounts and sources; programs of Runners and what is learnt of Demand.
    {
      apiGroups: core,
      resources: ['configmaps'],
      verbs: [...reads, 'create', 'patch', 'delete'],
    },
    // Environments, credentials of sources; those of custom sources are made.
    {
      apiGroups: core,
      resources: ['secrets'],
      verbs: [...reads, 'create', 'patch', 'delete'],
    },
    // The zones that Pods are in: metadata alone is asked for.
    { apiGroups: core, resources: ['nodes'], verbs: ['list', 'watch'] },
    { apiGroups: core, resources: ['services'], verbs: [...reads, 'create', 'patch', 'delete'] },
    // They are told of, and say what a Pod cannot mount.
    { apiGroups: core, resources: ['events'], verbs: ['create', 'patch', 'list'] },
    // Whether the one is there that a function names. What Operators write, they write as theirs.
    { apiGroups: core, resources: ['serviceaccounts'], verbs: ['get', 'impersonate'] },
    // What accounts of Triggers and Operators may see and do.
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['subjectaccessreviews'],
      verbs: ['create'],
    },
    // Whether the kinds of Operators are there, and when what their accounts may do changes.
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: reads,
    },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
      verbs: reads,
    },
    // Whose token a Runner or a Gateway shows.
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  ],
  namespace: [
    // Pods that install packages.
    { apiGroups: core, resources: ['pods'], verbs: ['create'] },
    // What Operators have settled.
    { apiGroups: core, resources: ['configmaps'], verbs: ['update'] },
    // A request to create names no object that rules could go by.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'update'],
      resourceNames: [clusterNames.lease],
    },
    {
      apiGroups: core,
      resources: ['secrets'],
      verbs: ['update'],
      resourceNames: [clusterNames.certificateSecret],
    },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['create'] },
    {
      apiGroups: ['discovery.k8s.io'],
      resources: ['endpointslices'],
      verbs: ['get', 'patch'],
      resourceNames: [clusterNames.controllerService],
    },
  ],
};

/** What it may do besides where it answers for groups of the API: say whom to trust there. */
export const aggregationRules: readonly AccessRule[] = [
  {
    apiGroups: ['apiregistration.k8s.io'],
    resources: ['apiservices'],
    verbs: ['get', 'patch'],
    resourceNames: recordGroups.map((group) => `${recordsVersion}.${group}`),
  },
];

/** What it takes to keep objects of a kind. */
const keeps = [...reads, 'create', 'patch', 'delete'];

/** Services without a selector are filled with the addresses of Gateways, in all namespaces. */
const backendRule: AccessRule = {
  ...{ apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: keeps },
};

/**
 * What the controller may do besides where a setting of the installation asks for it: in all
 * namespaces, by the setting.
 */
export const settingRules: Readonly<
  Record<'ingress.className' | 'httpRoute.parentRef' | 'networkPolicies', readonly AccessRule[]>
> = {
  // What leads requests of Triggers to the Gateway, beside them.
  'ingress.className': [
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: keeps },
    backendRule,
  ],
  'httpRoute.parentRef': [
    { apiGroups: ['gateway.networking.k8s.io'], resources: ['httproutes'], verbs: keeps },
    backendRule,
  ],
  // Who reaches functions. They are never taken away: uninstalling does that.
  networkPolicies: [
    {
      apiGroups: ['networking.k8s.io'],
      resources: ['networkpolicies'],
      verbs: ['list', 'watch', 'create', 'patch'],
    },
  ],
};

/** What it may do besides where it serves a group of metrics. */
export function metricsRules(group: MetricsGroup): readonly AccessRule[] {
  return [
    {
      apiGroups: ['apiregistration.k8s.io'],
      resources: ['apiservices'],
      verbs: ['get', 'patch'],
      resourceNames: metricsVersions[group].map((version) => `${version}.${group}`),
    },
  ];
}

/** What the controller may do besides where it acts in place of another system, by its setting. */
export const systemRules: Readonly<Record<'kyma' | 'kubeless', readonly AccessRule[]>> = {
  kyma: [
    ...foreignRules('serverless.kyma-project.io', ['functions']),
    ...foreignRules('eventing.kyma-project.io', ['subscriptions']),
    ...foreignRules('gateway.kyma-project.io', ['apirules']),
    { apiGroups: fnlet, resources: ['brokers'], verbs: ['create', 'patch'] },
    ...childRules(),
  ],
  kubeless: [
    ...foreignRules('kubeless.io', [
      ...['functions', 'cronjobtriggers', 'httptriggers'],
      ...['kafkatriggers', 'natstriggers', 'kinesistriggers'],
    ]),
    ...childRules(),
  ],
};

/** Objects of another system are read, told about, let go, and own what is done for them. */
function foreignRules(group: string, plurals: readonly string[]): readonly AccessRule[] {
  const apiGroups = [group];
  return [
    { apiGroups, resources: plurals, verbs: [...reads, 'patch'] },
    { apiGroups, resources: plurals.map((plural) => `${plural}/status`), verbs: ['patch'] },
    { apiGroups, resources: plurals.map((plural) => `${plural}/finalizers`), verbs: ['update'] },
  ];
}

/** What is done for them is done by objects of Fnlet. */
function childRules(): readonly AccessRule[] {
  const verbs = ['create', 'patch', 'delete'];
  return [{ apiGroups: fnlet, resources: ['functions', 'triggers'], verbs }];
}

/**
 * What people may do with records who view or edit a namespace. What an Operator was sent may hold
 * Secrets, which only who edits may read; lists of runs leave it out.
 */
export const recordAccess: Readonly<Record<'view' | 'edit', readonly AccessRule[]>> = {
  view: [
    { apiGroups: ['events.fnlet.dev'], resources: ['deadletters'], verbs: ['get', 'list'] },
    { apiGroups: ['events.fnlet.dev'], resources: ['cloudevents'], verbs: ['list', 'watch'] },
    { apiGroups: ['calls.fnlet.dev'], resources: ['calls'], verbs: ['get', 'list'] },
    { apiGroups: ['operators.fnlet.dev'], resources: ['runs'], verbs: ['list'] },
    { apiGroups: ['operators.fnlet.dev'], resources: ['explanations'], verbs: ['get'] },
  ],
  edit: [
    { apiGroups: ['artifacts.fnlet.dev'], resources: ['artifacts'], verbs: ['get', 'update'] },
    {
      apiGroups: ['events.fnlet.dev'],
      resources: ['deadletters'],
      verbs: ['delete', 'deletecollection'],
    },
    { apiGroups: ['events.fnlet.dev'], resources: ['cloudevents', 'replays'], verbs: ['create'] },
    { apiGroups: ['calls.fnlet.dev'], resources: ['calls'], verbs: ['delete'] },
    { apiGroups: ['calls.fnlet.dev'], resources: ['calls/retry'], verbs: ['create'] },
    { apiGroups: ['operators.fnlet.dev'], resources: ['runs'], verbs: ['get'] },
    {
      apiGroups: ['operators.fnlet.dev'],
      resources: ['wakeups', 'runs/replay'],
      verbs: ['create'],
    },
  ],
};

/**
 * Which ClusterRoles say what the controller may watch for Triggers and Operators (the selectors of
 * an AggregationRule): what people who may view a namespace see there, and what others add.
 */
export const watchedRoles: readonly { readonly matchLabels: Readonly<Record<string, string>> }[] = [
  { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
  { matchLabels: { [watchedLabel]: 'true' } },
];

/** Of the Gateway's ServiceAccount. */
export const gatewayRules: AccountRules = {
  cluster: [
    // Routes and Instances, where no controller is there to tell them.
    { apiGroups: fnlet, resources: ['functions', 'revisions'], verbs: reads },
    { apiGroups: core, resources: ['pods'], verbs: reads },
  ],
  namespace: [],
};
