/**
 * The composition root: makes every room, gives each what it needs, starts them in order and stops
 * them in reverse.
 *
 * I1. Whatever was started is stopped, also when a later step of the start fails.
 * I2. `endpoints.json` is there if, and only if, everything listens (a killed process leaves it).
 */
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FunctionObject, functionCrd, functionType, revisionCrd } from '@fnlet/api';
import {
  type ApiServer,
  adminUser,
  createApiServer,
  listenHttps,
  loadCertificates,
  type TlsIdentity,
} from '@fnlet/apiserver';
import { type Clock, errorMessage, type Logger, type Random } from '@fnlet/base';
import { type Client, createCache, createClient, formatKubeconfig } from '@fnlet/client';
import { createDashboard } from '@fnlet/dashboard';
import {
  createArtifactStore,
  createDependencyInstaller,
  createPodMirror,
  createProcessExecutor,
  createReaper,
  type ProcessExecutor,
  type Reaper,
} from '@fnlet/executor';
import { createFunctions, type Functions } from '@fnlet/functions';
import { createGateway, type Gateway } from '@fnlet/gateway';
import { runnerEntry } from '@fnlet/runtime-node';
import { openLmdbStore } from '@fnlet/store';
import type { ServerConfig } from './config.ts';
import { installCrds } from './crd-install.ts';
import {
  type DataDirectory,
  openDataDirectory,
  readOrCreateToken,
  writeFileAtomically,
} from './data-directory.ts';
import { createExecutorPodRuntime } from './executor-pod-runtime.ts';
import { gatewayGraceMs, instancesGraceMs } from './limits.ts';
import { createSnapshot } from './status-snapshot.ts';
import { fnletVersion } from './version.ts';

export interface ServerOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Variables of this process; npm is told a few of them, functions none. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Where a running Fnlet answers; also the contents of `endpoints.json`. */
export interface Endpoints {
  readonly api: string;
  readonly gateway: string;
  readonly dashboard: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly pid: number;
}

/** An embedded Fnlet that listens. */
export interface Server {
  readonly endpoints: Endpoints;
  /** Rejects when a part that must not stop has failed; otherwise it stays pending. */
  readonly failed: Promise<never>;
  /** Lets calls in flight finish for a while, then stops everything. */
  close(): Promise<void>;
}

/**
 * Starts an embedded Fnlet.
 *
 * @throws StoreError `Locked` when another one owns the data directory.
 * @throws ApiServerError `PortInUse`, FnletError `AddressInUse`, FnletError `ListenFailed`
 * @throws FnletError `DataDirectoryUnusable`
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const house = await openHouse(options, stack);
  const api = await startApi(house, stack);
  const endpoints = await startDataPlane(house, api, stack);
  await writeFileAtomically(house.data.endpoints, `${JSON.stringify(endpoints)}\n`, 0o600);
  const removeEndpoints = (): void => rmSync(house.data.endpoints, { force: true });
  // A second Ctrl-C ends the process without closing anything; the file must not outlive it.
  process.once('exit', removeEndpoints);
  stack.defer(() => {
    process.off('exit', removeEndpoints);
    removeEndpoints();
  });
  const started = stack.move();
  return { endpoints, failed: house.failed.promise, close: () => started.disposeAsync() };
}

/** What the steps of the start share. */
interface House {
  readonly options: ServerOptions;
  readonly data: DataDirectory;
  readonly tls: TlsIdentity;
  readonly token: string;
  readonly server: ApiServer;
  readonly client: Client;
  readonly reaper: Reaper;
  readonly executor: ProcessExecutor;
  readonly failed: PromiseWithResolvers<never>;
}

async function openHouse(options: ServerOptions, stack: AsyncDisposableStack): Promise<House> {
  const { config, clock, random, logger } = options;
  const data = await openDataDirectory(config.dataDirectory);
  const store = stack.use(await openLmdbStore({ directory: data.store }));
  rmSync(data.endpoints, { force: true });
  const [tls, token] = await Promise.all([
    loadCertificates({ directory: data.pki, hosts: [config.host], clock }),
    readOrCreateToken(data.token),
  ]);
  const reaper = stack.use(createReaper({ clock, logger }));
  const runtime = { name: 'nodejs24', command: [process.execPath, runnerEntry] };
  const executor = createProcessExecutor({
    runtimes: new Map([[runtime.name, runtime]]),
    directory: data.executor,
    reaper,
    clock,
    random,
    logger,
  });
  stack.defer(() => executor.close(instancesGraceMs));
  const server = createApiServer({
    store,
    clock,
    random,
    logger,
    tokens: [{ token, user: adminUser }],
    caPem: tls.caPem,
    podRuntime: createExecutorPodRuntime(executor, clock),
  });
  stack.use(server);
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
  const failed = Promise.withResolvers<never>();
  // Whoever waits on it is told; nobody has to.
  failed.promise.catch(() => {});
  return { options, data, tls, token, server, client, reaper, executor, failed };
}

/** The API answers kubectl as soon as it can; the kinds and everything else follow. */
async function startApi(house: House, stack: AsyncDisposableStack): Promise<string> {
  const { options, data, tls, token, server } = house;
  const { config, clock } = options;
  await server.start();
  const { host, apiPort: port } = config;
  const front = stack.use(await listenHttps(server, { host, port, tls, clock }));
  const kubeconfig = formatKubeconfig({
    name: 'fnlet',
    server: front.url,
    caPem: tls.caPem,
    token,
  });
  await writeFileAtomically(data.kubeconfig, kubeconfig, 0o600);
  return front.url;
}

async function startDataPlane(
  house: House,
  api: string,
  stack: AsyncDisposableStack,
): Promise<Endpoints> {
  const { options, data, client } = house;
  const { config, clock, random, logger } = options;
  await installCrds(client, [functionCrd, revisionCrd], clock);
  let functions: Functions | undefined;
  const gateway = createGateway({
    clock,
    random,
    logger,
    onDemand: (revisionId) => functions?.onDemand(revisionId),
  });
  const { host } = config;
  const address = await gateway.listen({ host, port: config.httpPort });
  stack.defer(() => gateway.close({ graceMs: gatewayGraceMs }));
  const gatewayUrl = formatUrl(address);
  functions = runControllers(house, { gateway, gatewayUrl }, stack);
  const cache = createCache<FunctionObject>({
    client,
    type: functionType,
    project: ({ apiVersion, kind, metadata, spec, status }) => ({
      ...{ apiVersion, kind, metadata },
      // The page shows no source; keeping it twice would cost what it weighs.
      spec: { ...spec, source: {} },
      ...(status === undefined ? {} : { status }),
    }),
    clock,
    random,
    logger,
  });
  runInBackground(house, { name: 'status cache', run: (signal) => cache.run(signal) }, stack);
  const kubeconfig = data.kubeconfig;
  const listed = { api, gateway: gatewayUrl, kubeconfig, dataDirectory: data.root };
  const dashboard = createDashboard({ snapshot: createSnapshot({ cache, clock, listed }), logger });
  const { port } = await dashboard.listen({ host, port: config.dashboardPort });
  stack.defer(() => dashboard.close());
  await functions.restored;
  const dashboardUrl = formatUrl({ host, port });
  logger.debug('Listening', { api, gateway: gatewayUrl, dashboard: dashboardUrl, fnletVersion });
  return { api, gateway: gatewayUrl, dashboard: dashboardUrl, kubeconfig, pid: process.pid };
}

/** The loops that make Functions of objects, and Pods of Instances. */
function runControllers(
  house: House,
  { gateway, gatewayUrl }: { readonly gateway: Gateway; readonly gatewayUrl: string },
  stack: AsyncDisposableStack,
): Functions {
  const { options, data, client, executor, reaper } = house;
  const { config, clock, random, logger, environment } = options;
  const artifacts = createArtifactStore({
    directory: join(data.root, 'artifacts'),
    dependencies: createDependencyInstaller({
      directory: join(data.root, 'dependencies'),
      environment,
      reaper,
      clock,
    }),
    logger,
  });
  const mirror = createPodMirror({
    client: createClient(house.server.transport(), { fieldManager: 'fnlet-executor', clock }),
    executor,
    nodeName: hostname().toLowerCase(),
    clock,
    random,
    logger,
  });
  const functions = createFunctions({
    client,
    executor,
    gateway,
    artifacts,
    gatewayUrl,
    bodyBytesMax: config.bodyBytesMax,
    clock,
    random,
    logger,
  });
  runInBackground(house, { name: 'Pod mirror', run: (signal) => mirror.run(signal) }, stack);
  runInBackground(house, { name: 'functions', run: (signal) => functions.run(signal) }, stack);
  return functions;
}

interface Loop {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Runs a loop for as long as the house stands; its failure ends the house. */
function runInBackground(
  { options: { logger }, failed }: House,
  { name, run }: Loop,
  stack: AsyncDisposableStack,
): void {
  const abort = new AbortController();
  const running = run(abort.signal).catch((error: unknown) => {
    logger.error(`The ${name} failed`, { error: errorMessage(error) });
    failed.reject(error);
  });
  stack.defer(async () => {
    abort.abort();
    await running;
  });
}

function formatUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
