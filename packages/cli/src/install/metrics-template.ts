/** What has requests for metrics passed on to the controller, where that is wanted. */
import { clusterNames } from '@fnlet/server/cluster/names';
import {
  customMetricsGroup,
  externalMetricsGroup,
  type MetricsGroup,
  metricsResources,
  metricsRules,
  metricsVersions,
} from '@fnlet/server/cluster/rules';
import { installationLabels } from './installation-labels.ts';
import { type ManifestTemplate, type TemplateFields, text, value } from './manifest-template.ts';

/** The setting with which a cluster has a group from Fnlet: it can have it from one server alone. */
export const metricsSettings: Readonly<Record<MetricsGroup, string>> = {
  [customMetricsGroup]: 'metricsApi.custom',
  [externalMetricsGroup]: 'metricsApi.external',
};

const rbac = 'rbac.authorization.k8s.io';
const groups = [customMetricsGroup, externalMetricsGroup] as const;
const controllerLabels = installationLabels(clusterNames.controller);
const subjects = [
  { kind: 'ServiceAccount', name: clusterNames.controller, namespace: value('namespace') },
];

/** What the controller may do for a group, who may read it, and an APIService for each version. */
export function planMetrics(): readonly ManifestTemplate[] {
  return groups.flatMap(planGroup);
}

function planGroup(group: MetricsGroup): readonly ManifestTemplate[] {
  const setting = metricsSettings[group];
  const [word = ''] = group.split('.');
  const name = text(value('namespace'), `:${clusterNames.controller}-${word}-metrics`);
  const rules = metricsRules(group).map((rule) => ({ ...rule }));
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
  const metadata = { name, labels: controllerLabels };
  const objects: TemplateFields[] = [
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata, subjects, roleRef },
    planViewers(group, word),
    ...metricsVersions[group].map((version, index) => planApiService({ group, version, index })),
  ];
  return objects.map((object) => ({ when: setting, object }));
}

/** Who may view a namespace may read its numbers; the autoscaler of Kubernetes may by itself. */
function planViewers(group: MetricsGroup, word: string): TemplateFields {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: {
      name: text(value('namespace'), `:view-${word}-metrics`),
      labels: {
        ...installationLabels('fnlet'),
        'rbac.authorization.k8s.io/aggregate-to-view': 'true',
      },
    },
    rules: [
      {
        apiGroups: [group],
        resources: metricsResources(group).map(({ name }) => name),
        verbs: ['get', 'list'],
      },
    ],
  };
}

/** Without the authority, which the controller makes and writes into it. */
function planApiService(of: {
  readonly group: MetricsGroup;
  readonly version: string;
  readonly index: number;
}): TemplateFields {
  const { group, version, index } = of;
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: controllerLabels },
    spec: {
      group,
      version,
      // As those of other servers of these groups; the first version is what clients prefer.
      groupPriorityMinimum: 100,
      versionPriority: 200 - 100 * index,
      service: { namespace: value('namespace'), name: clusterNames.apiService, port: 443 },
    },
  };
}
