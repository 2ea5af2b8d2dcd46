/**
 * Everything behind the API that makes Functions run: Instances, Gateway, controllers, status page.
 * A module of its own, loaded when the API listens already: kubectl need not wait for it.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { builtinRuntimes, type FunctionObject, functionType } from '@fnlet/api';
import { mirrorUser, type PodRuntime } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createCache, createClient } from '@fnlet/client';
import { createDashboard } from '@fnlet/dashboard';
import type { GatewayUrls } from '@fnlet/eventing';
import {
  createArtifactStore,
  createDependencyInstaller,
  createMountDirectories,
  createPodMirror,
  createProcessExecutor,
  createReaper,
  createRuntimes,
  createSourceFetcher,
  type ProcessExecutor,
  pythonRunnerArguments,
  type Reaper,
  type Runtimes,
  type UntilUncalled,
} from '@fnlet/executor';
import { createFunctions, type Functions } from '@fnlet/functions';
import { createGateway, type Gateway, type GatewayOptions } from '@fnlet/gateway';
import { decideTraceTarget } from '@fnlet/invocation';
import type { ObjectKey } from '@fnlet/machinery';
import { runnerEntry } from '@fnlet/runtime-node';
import { openAccessLog } from './access-log.ts';
import { beginAsyncCalls } from './begin-async-calls.ts';
import { awaitBrokers } from './broker-lookout.ts';
import { createExecutorPodRuntime } from './executor-pod-runtime.ts';
import { createFetchText } from './fetch-text.ts';
import { type GatewayAddress, insideHost, reachableAddress } from './gateway-address.ts';
import { type House, runInBackground } from './house.ts';
import { followInstanceLoad } from './instance-load.ts';
import { serveKinds } from './kinds.ts';
import { createLateEventLog } from './late-event-log.ts';
import { createLateServiceNames } from './late-service-names.ts';
import { gatewayGraceMs, instancesGraceMs } from './limits.ts';
import { createNumberSource, type NumberSourceParts } from './metrics-api/demand-numbers.ts';
import { awaitOperators } from './operator-lookout.ts';
import { readTrustedProxies } from './read-trusted-proxies.ts';
import { createServiceWays, type ServiceWays } from './service-ways.ts';
import { createSnapshot, projectListed } from './status-snapshot.ts';
import { awaitTriggers, type TriggerWays } from './trigger-lookout.ts';
import { webhooksRevision } from './webhooks-revision.ts';

/** What runs Functions, and where it answers. */
export interface DataPlane {
  readonly urls: {
    readonly gateway: string;
    readonly gatewayTls?: string;
    readonly dashboard: string;
  };
  /** Guards the processes of the whole house. */
  readonly reaper: Reaper;
  /** Shows Instances as Pods. */
  readonly instances: PodRuntime;
}

/**
 * Starts it, and resolves once Functions that served before serve again.
 *
 * @throws FnletError `AddressInUse`, FnletError `ListenFailed`
 */
export async function startDataPlane(house: House, api: string): Promise<DataPlane> {
  const { options, stack } = house;
  const { config, clock, random, logger } = options;
  let sending: Gateway | undefined;
  let gatewayAddress: GatewayAddress | undefined;
  const { executor, runtimes, reaper, instances } = startExecutor(house, {
    untilUncalled: ({ id, revision }, withinMs) =>
      sending === undefined ? Promise.resolve() : sending.drained(revision.id, id, withinMs),
    gatewayAddress: () => gatewayAddress,
  });
  await house.callers.giveWay();
  await serveKinds(house);
  await house.callers.giveWay();
  let functions: Functions | undefined;
  const opened = Promise.withResolvers<void>();
  const accessLog = openAccessLog(config.accessLog, logger);
  if (accessLog !== undefined) stack.use(accessLog);
  const trustedProxies = readTrustedProxies(config.trustedProxies);
  const tracing = await openTracing(house, trustedProxies);
  const gateway = createGateway({
    ...{ clock, random, logger },
    onDemand: (revisionId) => {
      if (revisionId !== webhooksRevision) functions?.onDemand(revisionId);
    },
    namespaceOf: (address) => namespaceOf(executor, address),
    later: house.asyncCalls,
    serviceNames: createLateServiceNames(house),
    opened: opened.promise,
    trustedProxies,
    ...(accessLog === undefined ? {} : { accessLog: accessLog.lines }),
    ...(tracing === undefined ? {} : { tracing }),
    onLoad: (isBusy) => house.heapLoad.tell('gateway', isBusy),
    onUnresponsive: (_, instanceId) => {
      logger.warn('An Instance is stuck and is replaced', { instance: instanceId });
      executor.evict(instanceId, 0);
    },
  });
  sending = gateway;
  house.metrics.add(() => [...gateway.metrics(), ...executor.metrics()]);
  const listening = Promise.withResolvers<GatewayUrls>();
  const openLog = createLateEventLog(house);
  const services = createServiceWays({ gateway: () => gatewayAddress, clock, random });
  const brokers = await awaitBrokers(house, { gateway, openLog });
  const triggers = await awaitTriggers(house, {
    ...{ gateway, gatewayUrls: listening.promise, openLog, brokers },
    agentOf: services.agentOf,
  });
  const address = await gateway.listen({ host: config.host, port: config.httpPort });
  stack.defer(() => gateway.close({ graceMs: gatewayGraceMs }));
  gatewayAddress = await gateway.listenInside({ host: insideHost, port: 0 });
  const gatewayUrl = formatUrl(address);
  const secure = await listenTls(house, gateway);
  const { gatewayTls: https } = secure;
  listening.resolve({ http: gatewayUrl, ...(https === undefined ? {} : { https }) });
  const lagOf = addLags(house.asyncCalls, triggers);
  const parts = { executor, runtimes, reaper, gateway, gatewayUrl, api, lagOf, services };
  await house.callers.giveWay();
  const running = runControllers(house, parts);
  functions = running;
  house.metrics.add(() => running.metrics());
  serveNumbers(house, { functions: running, lagOf, lagOfTrigger: triggers.lagOfTrigger });
  const dashboard = await startDashboard(house, { api, gateway: gatewayUrl });
  await running.restored;
  const { host, port } = reachableAddress(address);
  beginAsyncCalls(house, { gateway, address: `${host}:${port}` });
  awaitOperators(house, gateway);
  opened.resolve();
  return { urls: { gateway: gatewayUrl, ...secure, dashboard }, reaper, instances };
}

/** Lets autoscalers read what is measured. */
function serveNumbers(
  { server, measured, options: { clock } }: House,
  parts: Omit<NumberSourceParts, 'client'>,
): void {
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
  measured.begin(createNumberSource({ client, ...parts }));
}

type Lagging = Pick<TriggerWays, 'lagOf'>;

/** What waits for a Function in one place and in another; not known where either is not. */
function addLags(one: Lagging, other: Lagging): Lagging['lagOf'] {
  return (key) => {
    const [lag, more] = [one.lagOf(key), other.lagOf(key)];
    return lag === undefined || more === undefined ? undefined : lag + more;
  };
}

/** Has the Gateway send spans, where the environment names a collector. */
async function openTracing(
  house: House,
  trustedProxies: NonNullable<GatewayOptions['trustedProxies']>,
): Promise<GatewayOptions['tracing']> {
  const target = decideTraceTarget(house.options.environment);
  if (target === undefined) return undefined;
  const { openGatewayTracing } = await import('./gateway-tracing.ts');
  return openGatewayTracing(house, { target, trustedProxies });
}

/** Has the Gateway speak TLS, too, where that is wanted. */
async function listenTls(
  { options, data, tls }: House,
  gateway: Gateway,
): Promise<{ readonly gatewayTls?: string }> {
  const { config, clock, logger } = options;
  if (config.httpsPort === undefined) return {};
  const { GatewayCertificates } = await import('./gateway-certificates.ts');
  const source = new GatewayCertificates({
    authority: { certPem: tls.caPem, keyPath: join(data.pki, 'ca.key') },
    first: tls,
    hosts: ['localhost', '127.0.0.1', '::1', config.host],
    mayHave: (host) => host.endsWith('.localhost') || gateway.answersAt(host),
    clock,
    logger,
  });
  const { host, port } = await gateway.listenTls(
    { host: config.host, port: config.httpsPort },
    source,
  );
  return { gatewayTls: formatUrl({ host, port }, 'https') };
}

function startExecutor(
  { options, data, podRuntime, heapLoad, stack }: House,
  links: {
    readonly untilUncalled: UntilUncalled;
    readonly gatewayAddress: () => GatewayAddress | undefined;
  },
): {
  readonly executor: ProcessExecutor;
  readonly runtimes: Runtimes;
  readonly reaper: Reaper;
  readonly instances: PodRuntime;
} {
  const { clock, random, logger, environment } = options;
  const reaper = stack.use(createReaper({ clock, logger }));
  const runtimes = createRuntimes({
    directory: join(data.root, 'runtimes'),
    builtin: builtinRuntimes.map(({ name }) => name),
    runners: { node: runnerEntry, python: pythonRunnerArguments() },
    environment,
    reaper,
    clock,
  });
  const executor = createProcessExecutor({
    runtimes,
    firstRuntime: `nodejs${process.versions.node.split('.')[0]}`,
    directory: data.executor,
    nodeName: nodeName(),
    untilUncalled: links.untilUncalled,
    services: links.gatewayAddress,
    reaper,
    clock,
    random,
    logger,
  });
  stack.defer(() => executor.close(instancesGraceMs));
  const onLoad = (isBusy: boolean): void => heapLoad.tell('instances', isBusy);
  stack.defer(followInstanceLoad(executor, { clock, onLoad }));
  const instances = createExecutorPodRuntime(executor, {
    clock,
    nodeName: nodeName(),
    gateway: links.gatewayAddress,
  });
  podRuntime.begin(instances);
  return { executor, runtimes, reaper, instances };
}

/** The namespace of the Instance that has this address for itself, if one has. */
function namespaceOf(executor: ProcessExecutor, address: string): string | undefined {
  if (address === '127.0.0.1' || !address.startsWith('127.')) return undefined;
  const caller = executor.instances().find((instance) => instance.address?.host === address);
  return caller?.revision.namespace;
}

interface DataPlaneParts {
  readonly executor: ProcessExecutor;
  readonly runtimes: Runtimes;
  readonly reaper: Reaper;
  readonly gateway: Gateway;
  readonly gatewayUrl: string;
  /** URL of the API. */
  readonly api: string;
  /** How many asynchronous calls and events wait for a Function. */
  readonly lagOf: (key: ObjectKey) => number | undefined;
  /** How Services are reached by their names. */
  readonly services: ServiceWays;
}

/** The loops that make Instances of Functions, and Pods of Instances. */
function runControllers(house: House, parts: DataPlaneParts): Functions {
  const { options, data, server } = house;
  const { config, clock, random, logger, environment } = options;
  const { executor, runtimes, reaper, gateway, gatewayUrl } = parts;
  const artifacts = createArtifactStore({
    directory: join(data.root, 'artifacts'),
    dependencies: createDependencyInstaller({
      directory: join(data.root, 'dependencies'),
      environment,
      findService: parts.services.find,
      reaper,
      clock,
    }),
    logger,
  });
  const sources = createSourceFetcher({
    directory: join(data.root, 'sources'),
    uploads: data.uploads,
    environment,
    findService: parts.services.find,
    reaper,
    clock,
  });
  const mirror = createPodMirror({
    client: createClient(server.transport(mirrorUser), { fieldManager: 'fnlet-executor', clock }),
    executor,
    nodeName: nodeName(),
    clock,
    random,
    logger,
  });
  const functions = createFunctions({
    client: createClient(server.transport(), { fieldManager: 'fnlet', clock }),
    executor,
    untilShown: (instances) => mirror.show(instances),
    gateway,
    artifacts,
    sources,
    onWebhooks: webhookStarter(house, gateway),
    runtimes,
    onRuntimeUnused: (name) => executor.coolRuntime(name),
    mounts: createMountDirectories(join(data.root, 'mounts')),
    readUsage: () => executor.readUsage(),
    fetchText: createFetchText(parts.services.agentOf),
    lagOf: parts.lagOf,
    api: { ...addressOf(parts.api), caPem: house.tls.caPem },
    gatewayUrl,
    bodyBytesMax: config.bodyBytesMax,
    clock,
    random,
    logger,
  });
  runInBackground(house, 'Pod mirror', (signal) => mirror.run(signal));
  runInBackground(house, 'functions', (signal) => functions.run(signal));
  return functions;
}

/** What takes webhooks, loaded when the first Function asks for it. */
function webhookStarter(house: House, gateway: Gateway): () => void {
  const { logger } = house.options;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const load = async (): Promise<void> => {
    const { startWebhooks } = await import('./webhook-front.ts');
    if (!stack.disposed) await startWebhooks({ ...house, stack }, gateway);
  };
  return () => {
    load().catch((error: unknown) => {
      logger.error('Cannot take webhooks', { error: errorMessage(error) });
    });
  };
}

async function startDashboard(
  house: House,
  urls: { readonly api: string; readonly gateway: string },
): Promise<string> {
  const { options, data, server, stack } = house;
  const { config, clock, random, logger } = options;
  const cache = createCache<FunctionObject>({
    client: createClient(server.transport(), { fieldManager: 'fnlet', clock }),
    type: functionType,
    project: projectListed,
    clock,
    random,
    logger,
  });
  runInBackground(house, 'status cache', (signal) => cache.run(signal));
  const listed = { ...urls, kubeconfig: data.kubeconfig, dataDirectory: data.root };
  const dashboard = createDashboard({ snapshot: createSnapshot({ cache, clock, listed }), logger });
  const { host } = config;
  const { port } = await dashboard.listen({ host, port: config.dashboardPort });
  stack.defer(() => dashboard.close());
  return formatUrl({ host, port });
}

function addressOf(url: string): { readonly host: string; readonly port: string } {
  const { hostname: host, port } = new URL(url);
  return { host, port };
}

/** The one node that all Pods run on is this machine. */
function nodeName(): string {
  return hostname().toLowerCase();
}

function formatUrl(
  { host, port }: { readonly host: string; readonly port: number },
  scheme = 'http',
): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
