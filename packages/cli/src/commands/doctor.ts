import { errorMessage, hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import type { Discovery } from '@fnlet/client';
import { type Condition, findCondition, type KubeObject, parseApiVersion } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { judgeAggregation, readAggregation } from '../install/aggregation.ts';
import {
  type ArtifactsPlace,
  findArtifactsVolume,
  findBucket,
  judgeArtifactsPlace,
} from '../install/artifacts-place.ts';
import {
  type ClusterConnection,
  clusterTypes,
  connectToCluster,
  discoverKinds,
} from '../install/cluster-connection.ts';
import { describeProgress, readProgress } from '../install/deployment-rollout.ts';
import { findEventsPlace, judgeEventsPlace } from '../install/events-place.ts';
import {
  type Finding,
  judgeAccess,
  judgeDns,
  judgeHidden,
  judgeInstallation,
  judgeKinds,
  judgeMetrics,
  judgeStorage,
  judgeVersion,
  judgeWebhooks,
  type WebhookFact,
} from '../install/finding.ts';
import { defaultValues } from '../install/install-settings.ts';
import {
  judgeMetricsOwner,
  metricsGroups,
  readMetricsOwner,
  wantsMetrics,
} from '../install/metrics-owner.ts';
import { judgeNats, readNats } from '../install/nats-health.ts';
import { installedDefinitions, planInstall } from '../install/plan-install.ts';
import { formatDocument } from '../output.ts';
import { formatTable } from '../text-table.ts';
import type { InstallationFlags } from './installation-status.ts';

/**
 * `fnlet doctor`: looks at what Fnlet needs of a cluster and at what is installed.
 *
 * @throws CliError `failed` when something is in the way of Fnlet
 */
export async function doctor(flags: InstallationFlags, context: CliContext): Promise<void> {
  await using connection = await connectToCluster(flags, context);
  const findings = await examine(connection, flags.namespace);
  context.stdout.write(
    flags.output === undefined
      ? formatFindings(findings)
      : await formatDocument(flags.output, { findings }),
  );
  const failed = findings.filter(({ state }) => state === 'fail');
  if (failed.length === 0) return;
  const names = failed.map(({ check }) => check).join(', ');
  throw new CliError(exitCodes.failed, `Fnlet cannot run like this: ${names}`);
}

async function examine(
  connection: ClusterConnection,
  namespace: string,
): Promise<readonly Finding[]> {
  const planned = planInstall({ namespace, values: { ...defaultValues, image: 'fnlet' } });
  const discovery = await discoverKinds(connection);
  const controller = readController(connection, namespace);
  const missing = planned
    .filter(({ apiVersion, kind }) => discovery.ofKind(apiVersion, kind) === undefined)
    .map(({ apiVersion, kind }) => `${kind} (${apiVersion})`);
  const hasMetrics = discovery.resources.some(({ type }) => type.group === 'metrics.k8s.io');
  const findings = await Promise.all([
    look('Kubernetes', async () => [judgeVersion(await readVersion(connection))]),
    [judgeKinds([...new Set(missing)])],
    look('permissions', async () => [
      judgeAccess(await readRefused(connection, { discovery, planned })),
    ]),
    look('webhooks', async () => [judgeWebhooks(await readWebhooks(connection, discovery))]),
    look('DNS', async () => [judgeDns(await readDns(connection))]),
    look('storage', async () => [judgeStorage(await readStorage(connection))]),
    [judgeMetrics(hasMetrics)],
    look('installation', async () => judgeInstallation(await readInstalled(connection, namespace))),
    look('events', async () => await examineEvents(connection, await controller)),
    look('artifacts', () => examineArtifacts(connection, namespace, controller)),
    look('aggregation', async () => judgeAggregation(await readAggregation(connection))),
    look('metrics APIs', () => examineMetrics(connection, namespace, controller)),
  ]);
  return findings.flat();
}

/** What the user may not see is told, and keeps nobody from the rest. */
async function look(
  check: string,
  examineOne: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await examineOne();
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    return [judgeHidden(check, errorMessage(error))];
  }
}

/** Where events are kept, and how that place is. */
async function examineEvents(
  connection: ClusterConnection,
  controller: KubeObject | undefined,
): Promise<readonly Finding[]> {
  const place = findEventsPlace(controller);
  const judged = judgeEventsPlace(place);
  return place === 'nats' ? [...judged, ...judgeNats(await readNats(connection))] : judged;
}

/** Where artifacts are kept. */
async function examineArtifacts(
  connection: ClusterConnection,
  namespace: string,
  read: Promise<KubeObject | undefined>,
): Promise<readonly Finding[]> {
  const controller = await read;
  return judgeArtifactsPlace(await readArtifactsPlace(connection, { namespace, controller }));
}

/** Who serves metrics for autoscalers, and whether it is who should. */
async function examineMetrics(
  connection: ClusterConnection,
  namespace: string,
  read: Promise<KubeObject | undefined>,
): Promise<readonly Finding[]> {
  const controller = await read;
  return Promise.all(
    metricsGroups.map(async (group) => {
      const apiService = await readMetricsOwner(connection, group, namespace);
      const isWanted = wantsMetrics(controller, group);
      return judgeMetricsOwner({ group, apiService, isWanted }, namespace);
    }),
  );
}

function readController(
  { client, signal }: ClusterConnection,
  namespace: string,
): Promise<KubeObject | undefined> {
  const key = { namespace, name: clusterNames.controller };
  return client.of(clusterTypes.deployment).tryGet(key, { signal });
}

async function readArtifactsPlace(
  { client, signal }: ClusterConnection,
  installed: { readonly namespace: string; readonly controller: KubeObject | undefined },
): Promise<ArtifactsPlace | undefined> {
  const { namespace, controller } = installed;
  if (controller === undefined) return undefined;
  const bucket = findBucket(controller);
  if (bucket === undefined) return findArtifactsVolume(controller);
  const secrets = client.of<KubeObject & { readonly data?: JsonObject }>(clusterTypes.secret);
  const found = await secrets.tryGet({ namespace, name: bucket.secret }, { signal });
  const keys = found && Object.keys(found.data ?? {});
  return { kind: 'bucket', ...bucket, keys };
}

async function readVersion({ transport, signal }: ClusterConnection): Promise<string> {
  const response = await transport.request({ method: 'GET', path: '/version', signal });
  const found = await response.json();
  return isJsonObject(found) && typeof found.gitVersion === 'string' ? found.gitVersion : 'unknown';
}

/** What the user may not do of all that installing does (authorization/v1 SelfSubjectAccessReview). */
async function readRefused(
  { transport, signal }: ClusterConnection,
  terms: { readonly discovery: Discovery; readonly planned: readonly KubeObject[] },
): Promise<readonly string[]> {
  const kinds = new Map(
    terms.planned.map(({ apiVersion, kind, metadata: { namespace } }) => {
      const type = terms.discovery.ofKind(apiVersion, kind)?.type;
      const { group } = parseApiVersion(apiVersion);
      return [`${kind}.${group}`, { resource: type?.plural ?? '', group, namespace }] as const;
    }),
  );
  // Who hands out rights that they do not have themselves is refused (KEP: RBAC escalation).
  const roles = { resource: 'clusterroles', group: 'rbac.authorization.k8s.io' };
  const asked = [
    ...[...kinds.values()].flatMap((kind) =>
      ['create', 'patch', 'delete'].map((verb) => ({ ...kind, verb })),
    ),
    { ...roles, verb: 'escalate' },
    { ...roles, verb: 'bind' },
  ].filter(({ resource }) => resource !== '');
  const refused = await Promise.all(
    asked.map(async (resourceAttributes) => {
      const response = await transport.request({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes },
        },
        signal,
      });
      const { verb, resource, group } = resourceAttributes;
      const name = group === '' ? resource : `${resource}.${group}`;
      return isAllowed(await response.json()) ? [] : [`${verb} ${name}`];
    }),
  );
  return refused.flat();
}

function isAllowed(review: unknown): boolean {
  return isJsonObject(review) && isJsonObject(review.status) && review.status.allowed === true;
}

const webhookKinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly rules?: readonly { readonly resources?: readonly string[] }[];
  }[];
}

async function readWebhooks(
  { client, signal }: ClusterConnection,
  discovery: Discovery,
): Promise<readonly WebhookFact[]> {
  const facts: WebhookFact[] = [];
  for (const kind of webhookKinds) {
    const type = discovery.ofKind('admissionregistration.k8s.io/v1', kind)?.type;
    if (type === undefined) continue;
    for await (const { webhooks } of client.of<WebhookConfiguration>(type).listAll({ signal })) {
      for (const { name, failurePolicy = 'Fail', rules = [] } of webhooks ?? []) {
        const resources = rules.flatMap((rule) => rule.resources ?? []);
        facts.push({ name, failurePolicy, resources });
      }
    }
  }
  return facts;
}

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null;
}

async function readDns({ client, signal }: ClusterConnection): Promise<number | undefined> {
  const key = { namespace: 'kube-system', name: 'kube-dns' };
  const service = await client.of(clusterTypes.service).tryGet(key, { signal });
  if (service === undefined) return undefined;
  const { items } = await client.of<EndpointSlice>(clusterTypes.endpointSlice).list({
    namespace: key.namespace,
    labelSelector: `kubernetes.io/service-name=${key.name}`,
    signal,
  });
  const endpoints = items.flatMap((slice) => slice.endpoints ?? []);
  return endpoints.filter(({ conditions }) => conditions?.ready !== false).length;
}

async function readStorage({ client, signal }: ClusterConnection): Promise<{
  readonly classes: readonly string[];
  readonly fallback: string | undefined;
}> {
  const { items } = await client.of(clusterTypes.storageClass).list({ signal });
  const marked = items.find(
    ({ metadata: { annotations = {} } }) =>
      annotations['storageclass.kubernetes.io/is-default-class'] === 'true',
  );
  return { classes: items.map(({ metadata }) => metadata.name), fallback: marked?.metadata.name };
}

interface Definition extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

async function readInstalled(connection: ClusterConnection, namespace: string) {
  const { client, signal } = connection;
  const definitions = client.of<Definition>(clusterTypes.definition);
  const leases = client.of<KubeObject & { readonly spec?: JsonObject }>(clusterTypes.lease);
  const configMaps = client.of(clusterTypes.configMap);
  const { lease: leaseName, authorityConfigMap: name } = clusterNames;
  const [found, parts, lease, authority] = await Promise.all([
    Promise.all(
      installedDefinitions.map(({ metadata }) =>
        definitions.tryGet({ namespace: '', name: metadata.name }, { signal }),
      ),
    ),
    readProgress(connection, namespace),
    leases.tryGet({ namespace, name: leaseName }, { signal }),
    configMaps.tryGet({ namespace, name }, { signal }),
  ]);
  const holder = lease?.spec?.holderIdentity;
  return {
    namespace,
    definitions: found
      .filter((definition) => definition !== undefined)
      .map(({ metadata, status }) => ({
        name: metadata.name,
        established: findCondition(status?.conditions ?? [], 'Established')?.status === 'True',
      })),
    definitionsWanted: installedDefinitions.length,
    parts: parts.map((part) => ({ ...part, text: describeProgress(part) })),
    leader: typeof holder === 'string' && holder !== '' ? holder : undefined,
    authority: authority !== undefined,
  };
}

/** As a table; below it what to do. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, state, found }) => [state, check, found]);
  const remedies = findings.flatMap(({ check, state, remedy }) =>
    state === 'ok' || remedy === undefined ? [] : [`${check}: ${remedy}`],
  );
  const below = remedies.length === 0 ? '' : `\n${remedies.join('\n')}\n`;
  return `${formatTable(['STATE', 'CHECK', 'FOUND'], rows)}${below}`;
}
