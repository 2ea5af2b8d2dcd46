import { managedBy, managedByLabel } from '@fnlet/api';
import { clusterNames, clusterPorts } from '@fnlet/server/cluster/names';
import { installationLabels } from './installation-labels.ts';
import { type ManifestTemplate, type TemplateFields, value } from './manifest-template.ts';

const namespace = value('namespace');
const anywhereInside = { namespaceSelector: {} };

/** Who may reach the parts of Fnlet. The kubelet's probes always may. */
export function planNetworkPolicies(): readonly ManifestTemplate[] {
  const { runners, gateways, api, http, inside, health } = clusterPorts;
  const runnerPods = {
    ...anywhereInside,
    podSelector: { matchLabels: { [managedByLabel]: managedBy } },
  };
  const gatewayPods = { podSelector: { matchLabels: installationLabels(clusterNames.gateway) } };
  const metrics = ingress([health], [anywhereInside]);
  return [
    policy(clusterNames.controller, [
      ingress([runners], [runnerPods]),
      ingress([gateways], [gatewayPods]),
      // API servers are no Pods: who comes shows a certificate.
      { ports: [port(api)] },
      metrics,
    ]),
    policy(clusterNames.gateway, [
      // From everywhere, load balancers outside included.
      { ports: [port(http)] },
      ingress([inside], [anywhereInside]),
      metrics,
    ]),
  ];
}

function policy(name: string, rules: readonly TemplateFields[]): ManifestTemplate {
  const labels = installationLabels(name);
  return {
    when: 'networkPolicies',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name, namespace, labels },
      spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'], ingress: rules },
    },
  };
}

function ingress(ports: readonly number[], from: readonly TemplateFields[]): TemplateFields {
  return { from, ports: ports.map(port) };
}

function port(port: number): TemplateFields {
  return { port, protocol: 'TCP' };
}
