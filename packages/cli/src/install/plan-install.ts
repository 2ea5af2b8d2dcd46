/** The objects of an installation: everything that `fnlet install`, the chart and the base bring. */
import {
  brokerCrd,
  functionCrd,
  operatorCrd,
  revisionCrd,
  runtimeCrd,
  triggerCrd,
} from '@fnlet/api';
import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import { planAccess } from './access-template.ts';
import { planAggregation } from './api-service-template.ts';
import type { InstallValues } from './install-settings.ts';
import { installationLabels } from './installation-labels.ts';
import {
  isSet,
  type ManifestTemplate,
  resolveTemplate,
  type TemplateFields,
  value,
} from './manifest-template.ts';
import { planMetrics } from './metrics-template.ts';
import { planNats } from './nats-template.ts';
import { planNetworkPolicies } from './network-template.ts';
import { planController, planGateway } from './part-templates.ts';
import type { BundleNames } from './pod-template.ts';

/** Definitions of the kinds of Fnlet; they outlive an installation, as the objects of users do. */
export const installedDefinitions: readonly KubeObject[] = [
  brokerCrd,
  functionCrd,
  operatorCrd,
  revisionCrd,
  runtimeCrd,
  triggerCrd,
];

/** The namespace of the installation. Its Pods are held to the profile that they are made for. */
export const namespaceTemplate: ManifestTemplate = {
  object: {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: value('namespace'),
      labels: {
        ...installationLabels('fnlet'),
        'pod-security.kubernetes.io/enforce': 'restricted',
        'pod-security.kubernetes.io/warn': 'restricted',
      },
    },
  },
};

/** Everything in and around the namespace but the definitions of kinds. */
export function installTemplate(bundle?: BundleNames): readonly ManifestTemplate[] {
  return [
    { when: 'priorityClass', object: priorityClass },
    ...planAccess(),
    ...planNetworkPolicies(),
    ...planNats(),
    ...planController(bundle),
    ...planGateway(bundle),
    ...planAggregation(),
    ...planMetrics(),
    ...monitored.map((name) => ({ when: 'podMonitor', object: planMonitor(name) })),
  ];
}

const priorityClass: TemplateFields = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: value('namespace'), labels: installationLabels('fnlet') },
  value: 1_000_000,
  preemptionPolicy: 'PreemptLowerPriority',
  description: 'Parts of Fnlet: without them no function answers.',
};

const monitored = [clusterNames.controller, clusterNames.gateway];

function planMonitor(name: string): TemplateFields {
  const labels = installationLabels(name);
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name, namespace: value('namespace'), labels },
    spec: {
      selector: { matchLabels: labels },
      // The namespace in a series is that of the function, and not that of the Pod.
      podMetricsEndpoints: [{ port: 'health', path: '/metrics', honorLabels: true }],
    },
  };
}

export interface InstallRequest {
  readonly namespace: string;
  readonly values: InstallValues;
  /** Names of the bundle that Pods run; without one they run the image that `values` names. */
  readonly bundle?: BundleNames | undefined;
}

/**
 * The objects of an installation in the order in which they are applied: the namespace first, and
 * the definitions of kinds before those who wait for them.
 */
export function planInstall({ namespace, values, bundle }: InstallRequest): readonly KubeObject[] {
  const all = { ...values, namespace };
  const parts = [namespaceTemplate, ...installTemplate(bundle)].flatMap((part) =>
    resolveManifest(part, all),
  );
  const [first, ...others] = parts;
  return first === undefined ? [] : [first, ...installedDefinitions, ...others];
}

/** The object with its values, where it is wanted. */
function resolveManifest(
  { when, object }: ManifestTemplate,
  values: InstallValues,
): readonly KubeObject[] {
  if (when !== undefined && !isSet(when, values)) return [];
  const resolved = resolveTemplate(object, values);
  return isObject(resolved) ? [resolved] : [];
}

function isObject(found: unknown): found is KubeObject {
  return isJsonObject(found) && typeof found.kind === 'string' && isJsonObject(found.metadata);
}
