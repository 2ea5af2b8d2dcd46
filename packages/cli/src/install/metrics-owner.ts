/** Who serves metrics in a cluster: for each of these groups it can be one server alone. */
import { isJsonObject } from '@fnlet/base';
import { type Condition, findCondition, type KubeObject } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import {
  customMetricsGroup,
  externalMetricsGroup,
  type MetricsGroup,
  metricsVersions,
} from '@fnlet/server/cluster/rules';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';
import type { Finding } from './finding.ts';
import { metricsSettings } from './metrics-template.ts';

/** An APIService, as far as it is looked at. */
export interface ApiServiceObject extends KubeObject {
  readonly spec?: {
    readonly service?: { readonly namespace?: string; readonly name?: string } | null;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Who serves a group. */
export interface MetricsOwner {
  readonly group: MetricsGroup;
  /** `undefined`: nobody does. */
  readonly apiService: ApiServiceObject | undefined;
  /** Whether the installation is to serve it. */
  readonly isWanted: boolean;
}

export const metricsGroups: readonly MetricsGroup[] = [customMetricsGroup, externalMetricsGroup];

/** Whether it leads to the installation in this namespace. */
function isOurs({ spec }: ApiServiceObject, namespace: string): boolean {
  const { service } = spec ?? {};
  return service?.namespace === namespace && service.name === clusterNames.apiService;
}

function describeOwner({ spec }: ApiServiceObject): string {
  const { namespace, name } = spec?.service ?? {};
  return name === undefined ? 'the API server itself' : `${namespace}/${name}`;
}

/**
 * The first APIService of a group that leads to somebody else than the installation in `namespace`,
 * or else its own.
 */
export async function readMetricsOwner(
  { client, signal }: ClusterConnection,
  group: MetricsGroup,
  namespace: string,
): Promise<ApiServiceObject | undefined> {
  const services = client.of<ApiServiceObject>(clusterTypes.apiService);
  const names = metricsVersions[group].map((version) => `${version}.${group}`);
  const found = await Promise.all(
    names.map((name) => services.tryGet({ namespace: '', name }, { signal })),
  );
  const there = found.filter((service) => service !== undefined);
  return there.find((service) => !isOurs(service, namespace)) ?? there[0];
}

/**
 * Looks before anything is applied whether somebody else serves what is planned.
 *
 * @throws CliError `failed`
 */
export async function checkMetricsOwners(
  connection: ClusterConnection,
  { namespace, planned }: { readonly namespace: string; readonly planned: readonly KubeObject[] },
): Promise<void> {
  for (const group of metricsGroups) {
    const isPlanned = planned.some(
      ({ kind, metadata }) => kind === 'APIService' && metadata.name.endsWith(`.${group}`),
    );
    const found = isPlanned ? await readMetricsOwner(connection, group, namespace) : undefined;
    if (found === undefined || isOurs(found, namespace)) continue;
    const text = `found APIService "${found.metadata.name}" of ${describeOwner(found)}`;
    const message = `Cannot serve ${group}: ${text}, expected none`;
    const remedy = `A cluster has one server for it: leave ${metricsSettings[group]} at false, or remove that one`;
    throw new CliError(exitCodes.failed, message, { remedy });
  }
}

/** Whether the controller serves a group, as its Deployment says. */
export function wantsMetrics(deployment: unknown, group: MetricsGroup): boolean {
  const variable = group === customMetricsGroup ? 'FNLET_CUSTOM_METRICS' : 'FNLET_EXTERNAL_METRICS';
  return isJsonObject(deployment) && JSON.stringify(deployment).includes(`"name":"${variable}"`);
}

/** What `fnlet doctor` says about it. */
export function judgeMetricsOwner(owner: MetricsOwner, namespace: string): Finding {
  const { group, apiService, isWanted } = owner;
  const check = group.replace('.metrics.k8s.io', ' metrics');
  const setting = metricsSettings[group];
  if (apiService === undefined) {
    const remedy = 'fnlet upgrade brings it';
    return isWanted
      ? { check, state: 'warn', found: `no APIService for ${group}`, remedy }
      : { check, state: 'ok', found: `nobody serves ${group}` };
  }
  if (!isOurs(apiService, namespace)) {
    const found = `served by ${describeOwner(apiService)}`;
    const remedy = `A cluster has one server for ${group}: set ${setting} to false, or remove the other one`;
    return isWanted ? { check, state: 'warn', found, remedy } : { check, state: 'ok', found };
  }
  const available = findCondition(apiService.status?.conditions ?? [], 'Available');
  if (available?.status === 'True') return { check, state: 'ok', found: 'served by Fnlet' };
  const why = available?.message ?? 'the API server has not asked yet';
  const remedy = `kubectl -n ${namespace} logs deployment/fnlet-controller; the API server must reach port 8446 of its Pods`;
  return { check, state: 'warn', found: `Fnlet is not heard: ${why}`, remedy };
}
