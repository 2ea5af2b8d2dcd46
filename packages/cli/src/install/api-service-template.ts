/** Where the cluster's API passes requests on to, for what the controller answers. */
import {
  clusterNames,
  clusterPorts,
  leadsLabel,
  recordGroups,
  recordsVersion,
} from '@fnlet/server/cluster/names';
import { installationLabels } from './installation-labels.ts';
import { type ManifestTemplate, type TemplateFields, value } from './manifest-template.ts';

const namespace = value('namespace');
const when = 'aggregatedApi';
const servicePort = 443;

/** The Service of the replica that leads, and an APIService for each group. */
export function planAggregation(): readonly ManifestTemplate[] {
  const labels = installationLabels(clusterNames.controller);
  const service: TemplateFields = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: clusterNames.apiService, namespace, labels },
    spec: {
      selector: { ...labels, [leadsLabel]: 'true' },
      ports: [{ name: 'api', port: servicePort, targetPort: clusterPorts.api, protocol: 'TCP' }],
    },
  };
  return [service, ...recordGroups.map(planApiService)].map((object) => ({ when, object }));
}

/** Without an authority: the controller writes its own there. */
function planApiService(group: string): TemplateFields {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: `${recordsVersion}.${group}`,
      labels: installationLabels(clusterNames.controller),
    },
    spec: {
      group,
      version: recordsVersion,
      // As kinds of definitions have: nobody else has these groups.
      groupPriorityMinimum: 1_000,
      versionPriority: 100,
      service: { namespace, name: clusterNames.apiService, port: servicePort },
    },
  };
}
