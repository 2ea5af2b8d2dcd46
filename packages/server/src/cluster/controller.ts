/**
 * The controller of a cluster: what an embedded Fnlet runs behind its API, over the API of others,
 * with Pods as Instances and with Gateways that are processes of their own.
 *
 * I1. Only the replica that leads listens for Runners and Gateways, and writes.
 * I2. Gateways are told nothing before the routes stand as they stood.
 * I3. It lets go of everything as it is: Pods and Gateways go on until the next one leads.
 */
import { join } from 'node:path';
import { builtinRuntimes } from '@fnlet/api';
import { FnletError, type MetricFamily } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import {
  createArtifactStore,
  createDependencyInstaller,
  createReaper,
  createSourceFetcher,
  type Reaper,
} from '@fnlet/executor';
import {
  ArtifactArchives,
  ArtifactBucket,
  type BlobStore,
  Builder,
  createPodExecutor,
  identifyByTokenReview,
  openBlobs,
  type PodExecutor,
  type PoolTerms,
  planExecutor,
} from '@fnlet/executor/cluster';
import { createFunctions, type Functions } from '@fnlet/functions';
import {
  type CertificateKeeper,
  createCertificateKeeper,
  createLeaseElection,
} from '@fnlet/reconcile';
import { createFetchText } from '../fetch-text.ts';
import {
  AggregatedApi,
  type AggregatedIdentity,
  aggregatedHost,
} from './aggregation/aggregated-api.ts';
import { type ClusterEvents, createClusterEvents } from './cluster-events.ts';
import {
  aborted,
  awaitKinds,
  type ClusterProcessOptions,
  clientOf,
  Loops,
  latch,
  nameReplica,
  serveHealth,
} from './cluster-process.ts';
import { createClusterRuntimes } from './cluster-runtimes.ts';
import { ControllerAddress } from './controller-address.ts';
import { FleetFront } from './fleet-front.ts';
import { GatewayFleet } from './gateway-fleet.ts';
import { findNode, identifyGateway } from './identify-gateway.ts';
import { podPool, warmPodRequests } from './limits.ts';
import { listenInTime } from './listen-in-time.ts';
import { metricsGroups } from './metrics-groups.ts';
import { clusterNames } from './names.ts';
import { NodeZones } from './node-zones.ts';
import { planFunctionsPolicy } from './plan-functions-policy.ts';
import { PodConfigMaps, type PodConfigMapsOptions } from './pod-config-maps.ts';
import { RequestCounter } from './request-counter.ts';
import {
  planProgram,
  type RunnerProgram,
  readNodeProgram,
  readPythonProgram,
} from './runner-programs.ts';
import type { ControllerConfig } from './settings.ts';

export type ControllerOptions = ClusterProcessOptions<ControllerConfig>;

interface Programs {
  readonly node: RunnerProgram;
  readonly python: RunnerProgram;
}

/**
 * Runs one replica until `signal` aborts.
 *
 * @throws FnletError `LeadershipLost` when another one may lead: the process is to end
 * @throws FnletError `ListenFailed`, `LoopFailed`
 */
export async function runController(given: ControllerOptions, signal: AbortSignal): Promise<void> {
  const requests = new RequestCounter();
  const options = { ...given, transport: requests.over(given.transport) };
  const { config, clock, random, logger } = options;
  // Before anything else: a place that cannot be is a mistake of whoever installs.
  const blobs = openArtifactBlobs(options);
  await using stack = new AsyncDisposableStack();
  const known = latch('kinds', 'the API does not serve the kinds of Fnlet yet');
  const leading: { metrics?: (() => readonly MetricFamily[]) | undefined } = {};
  const metrics = () => [requests.family(), ...(leading.metrics?.() ?? [])];
  stack.use(await serveHealth(options, { readyz: [known], metrics }));
  await awaitKinds(options, signal);
  if (signal.aborted) return;
  known.set();
  const programs = {
    node: planProgram(await readNodeProgram()),
    python: planProgram(await readPythonProgram()),
  };
  const identity = nameReplica(config.replica, random);
  const election = createLeaseElection({
    client: clientOf(options, 'fnlet-controller'),
    lease: { namespace: config.systemNamespace, name: clusterNames.lease },
    identity,
    ...{ clock, random, logger },
  });
  logger.info('Ready to lead', { replica: identity });
  await election.run(signal, async (leads) => {
    logger.info('Leading', { replica: identity });
    await lead(options, { programs, leads, leading, identity, blobs });
    leading.metrics = undefined;
    if (signal.aborted) return;
    // What was begun here is not to go on beside what another one does.
    throw new FnletError('LeadershipLost', 'Cannot go on: this replica does not lead any more');
  });
}

interface LeadTerms {
  readonly programs: Programs;
  readonly leads: AbortSignal;
  readonly leading: { metrics?: (() => readonly MetricFamily[]) | undefined };
  readonly identity: string;
  readonly blobs: BlobStore | undefined;
}

async function lead(options: ControllerOptions, terms: LeadTerms): Promise<void> {
  const { config, clock, random, logger } = options;
  const { leads, programs } = terms;
  const { systemNamespace: namespace, podName } = config;
  await using stack = new AsyncDisposableStack();
  const client = clientOf(options, 'fnlet-controller');
  let onCertificate: (identity: AggregatedIdentity) => void = () => {};
  const keeper = createKeeper(options, client, (identity) => onCertificate(identity));
  const certificate = await keeper.identity(leads);
  const configMaps = new PodConfigMaps({
    ...{ client, programs: [programs.node, programs.python], caPem: certificate.caPem },
    policyOf: policyOf(config),
    ...{ clock, random, logger },
  });
  await configMaps.trustHere(namespace, leads);
  const reaper = stack.use(createReaper({ clock, logger }));
  const events: { lagOf?: ClusterEvents['lagOf'] } = {};
  const lagOf: ClusterEvents['lagOf'] = (key) => events.lagOf?.(key);
  const bucket = openBucket(options, terms.blobs, stack);
  const given = { client, certificate, configMaps, programs, reaper, lagOf, bucket };
  const parts = createParts(options, given);
  const { executor, fleet, zones, builder, functions } = parts;
  void builder.sweep(leads).catch(() => logger.warn('Cannot remove Pods that installed packages'));
  const front = new FleetFront({
    ...{ fleet, certificate, clock, random, logger },
    identify: (token, signal) => identifyGateway({ client, namespace, clock }, token, signal),
  });
  const api = stack.use(new AggregatedApi({ ...options, client, certificate }));
  onCertificate = ({ caPem, ...pair }) => {
    executor.renew(pair);
    front.renew(pair);
    api.renew({ caPem, ...pair });
    configMaps.trust(caPem);
  };
  stack.use(front);
  stack.defer(() => executor.release());
  // What loops use is closed after they have ended.
  const kept = stack.use(new AsyncDisposableStack());
  const loops = stack.use(new Loops());
  loops.run('Pods', (signal) => executor.run(signal));
  loops.run('certificates', (signal) => keeper.run(signal));
  loops.run('programs', (signal) => configMaps.run(signal));
  loops.run('zones', (signal) => zones.run(signal));
  const { host, runnersPort, gatewaysPort } = config;
  const ended = Promise.race([aborted(leads), loops.failed]);
  await Promise.race([executor.synced, ended]);
  if (leads.aborted) return;
  await listenInTime((port) => executor.listen({ host, port }), runnersPort, { clock, leads });
  loops.run('functions', (signal) => functions.run(signal));
  await Promise.race([functions.restored, ended]);
  if (leads.aborted) return;
  const acting = createClusterEvents(options, {
    ...{ client: clientOf(options, 'fnlet'), front, loops, kept, routes: fleet.published },
    replica: terms.identity,
    node: podName && (await findNode({ client, clock }, { namespace, name: podName }, leads)),
  });
  events.lagOf = acting.lagOf;
  loops.run('routes from outside', (signal) => publishRoutesOf(options, signal));
  terms.leading.metrics = () => [...functions.metrics(), ...acting.metrics()];
  // I2: routes of Triggers, too.
  await Promise.race([acting.restored, ended]);
  if (leads.aborted) return;
  await listenInTime((port) => front.listen({ host, port }), gatewaysPort, { clock, leads });
  await tellAddress(options, { client, loops }, leads);
  const groups = [...acting.groups, ...metricsGroups(options, { client, functions, ...acting })];
  loops.run('API of the cluster', (signal) => api.serve(groups, signal));
  await ended;
}

async function tellAddress(
  { config, clock, logger }: ControllerOptions,
  { client, loops }: { readonly client: Client; readonly loops: Loops },
  leads: AbortSignal,
): Promise<void> {
  const { systemNamespace: namespace, podIp, runnersPort, gatewaysPort } = config;
  const address = new ControllerAddress({ client, namespace, podIp, clock, logger });
  const ports = { runners: runnersPort, gateways: gatewaysPort };
  await address.publish(ports, leads);
  loops.run('address', (signal) => address.keep(ports, signal));
  logger.info('Serving Runners and Gateways', { runnersPort, gatewaysPort });
}

async function publishRoutesOf(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  const { config, clock, random, logger } = options;
  const { systemNamespace: namespace, routes: settings } = config;
  const { publishRoutes } = await import('./routes/published-routes.ts');
  const client = clientOf(options, 'fnlet-routes');
  await publishRoutes({ client, namespace, settings, clock, random, logger }, signal);
}

function openArtifactBlobs(options: ControllerOptions): BlobStore | undefined {
  const { config, environment, clock, random } = options;
  const { artifactsBucket: location } = config;
  if (location === undefined) return undefined;
  return openBlobs({ location, environment, clock, random });
}

/** To be called by who leads: the directory has one owner. */
function openBucket(
  { config, clock, logger }: ControllerOptions,
  blobs: BlobStore | undefined,
  stack: AsyncDisposableStack,
): ArtifactBucket | undefined {
  if (blobs === undefined) return undefined;
  const directory = join(config.dataDirectory, 'bucket');
  const bucket = new ArtifactBucket({ blobs, directory, clock, logger });
  stack.defer(() => bucket.close());
  return bucket;
}

/** Who reaches functions; see the setting. */
function policyOf({
  functionNetworkPolicies,
  systemNamespace,
}: ControllerConfig): PodConfigMapsOptions['policyOf'] {
  return functionNetworkPolicies
    ? (namespace) => planFunctionsPolicy(namespace, systemNamespace)
    : undefined;
}

interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

function createKeeper(
  { config, clock, logger }: ControllerOptions,
  client: Client,
  onChange: (identity: AggregatedIdentity) => void,
): CertificateKeeper {
  const { systemNamespace: namespace, runnersUrl } = config;
  const service = `${clusterNames.controllerService}.${namespace}.svc`;
  const hosts = new Set([
    ...[service, `${service}.cluster.local`, new URL(runnersUrl).hostname],
    aggregatedHost(namespace),
  ]);
  return createCertificateKeeper({
    client,
    secret: { namespace, name: clusterNames.certificateSecret },
    hosts: [...hosts],
    targets: [],
    onChange,
    ...{ clock, logger },
  });
}

/** Instances, routes and Functions, which know each other. */
function createParts(
  options: ControllerOptions,
  terms: {
    readonly client: Client;
    readonly certificate: Pair;
    readonly configMaps: PodConfigMaps;
    readonly programs: Programs;
    readonly reaper: Reaper;
    readonly lagOf: ClusterEvents['lagOf'];
    readonly bucket: ArtifactBucket | undefined;
  },
): {
  readonly executor: PodExecutor;
  readonly fleet: GatewayFleet;
  readonly zones: NodeZones;
  readonly builder: Builder;
  readonly functions: Functions;
} {
  const { config, clock, random, logger } = options;
  const { client, certificate, configMaps, programs } = terms;
  const zones = new NodeZones({
    ...{ client, clock, random, logger },
    onChange: () => fleet.onZones(),
  });
  const fleet: GatewayFleet = new GatewayFleet({
    clock,
    zones: {
      ofNode: (node) => zones.of(node),
      ofHost: (address) => zones.of(executor.nodeAt(address)),
    },
    onDemand: (revision) => functions.onDemand(revision),
    onUnresponsive(instance) {
      logger.warn('An Instance is stuck and is replaced', { instance });
      executor.evict(instance, 0);
    },
  });
  const pods: PoolTerms = {
    ownerUrl: config.runnersUrl,
    ...(config.registry === undefined ? {} : { registry: config.registry }),
    programs,
    authorityConfigMap: clusterNames.authorityConfigMap,
    requests: warmPodRequests,
    sharedNetwork: config.sharedNetwork,
  };
  const archives = new ArtifactArchives(join(config.dataDirectory, 'archives'));
  const { systemNamespace: namespace } = config;
  const builder = new Builder({ ...{ client, namespace, clock, random }, terms: pods });
  const executor = createPodExecutor({
    ...{ client, certificate },
    identify: identifyByTokenReview(client),
    onBuild: (pod, request, response) => builder.answer(pod, request, response),
    archives,
    runtimes: new Set(builtinRuntimes.map(({ name }) => name)),
    bounds: podPool,
    terms: pods,
    prepareNamespace: (place, signal) => configMaps.prepare(place, signal),
    untilUncalled: ({ id, revision }, withinMs) => fleet.drained(revision.id, id, withinMs),
    ...{ clock, random, logger },
  });
  const made = { ...terms, executor, fleet, builder, archives };
  const functions = createClusterFunctions(options, made);
  return { executor, fleet, zones, builder, functions };
}

function createClusterFunctions(
  options: ControllerOptions,
  {
    executor,
    fleet,
    builder,
    reaper,
    lagOf,
    bucket,
    archives,
  }: {
    readonly executor: PodExecutor;
    readonly fleet: GatewayFleet;
    readonly builder: Builder;
    readonly reaper: Reaper;
    readonly lagOf: ClusterEvents['lagOf'];
    readonly bucket: ArtifactBucket | undefined;
    readonly archives: ArtifactArchives;
  },
): Functions {
  const { config, api, clock, random, logger, environment } = options;
  const { dataDirectory: root, gatewayUrl, bodyBytesMax } = config;
  const dependencies = createDependencyInstaller({
    ...{
      directory: join(root, 'dependencies'),
      environment,
      reaper,
      clock,
      place: builder,
      bucket,
    },
  });
  const store = createArtifactStore({
    directory: join(root, 'artifacts'),
    ...{ dependencies, bucket, logger },
  });
  const { hostname: host, port } = new URL(api.server);
  return createFunctions({
    client: clientOf(options, 'fnlet'),
    executor,
    gateway: fleet,
    artifacts: {
      prepare: (source, caller) => store.prepare(source, caller),
      async sweep(keep) {
        await store.sweep(keep);
        // What Pods fetched of artifacts that are gone.
        await archives.sweep();
      },
    },
    sources: createSourceFetcher({
      directory: join(root, 'sources'),
      uploads: join(root, 'uploads'),
      ...{ environment, reaper, clock },
    }),
    onWebhooks: () =>
      logger.warn('Webhooks of repositories are not taken in a cluster yet: they are asked'),
    runtimes: createClusterRuntimes(),
    onRuntimeUnused: () => {},
    executorOf: planExecutor,
    readUsage: () => Promise.reject(new Error('the use of Pods is not read in a cluster yet')),
    ...{ fetchText: createFetchText(), lagOf },
    api: { host, port: port === '' ? '443' : port, caPem: api.caData ?? '' },
    gatewayUrl,
    bodyBytesMax,
    ...{ clock, random, logger },
  });
}
