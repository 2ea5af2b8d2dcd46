/**
 * The composition root: makes every room, gives each what it needs, starts them in order and stops
 * them in reverse.
 *
 * I1. Whatever was started is stopped, also when a later step of the start fails.
 * I2. The API listens first; what makes Functions run is loaded and started after it, and gives way
 *     to those who ask the API meanwhile.
 * I3. `endpoints.json` is there if, and only if, everything listens (a killed process leaves it).
 */
import { rmSync } from 'node:fs';
import { adminUser, createApiServer, listenHttps, loadCertificates } from '@fnlet/apiserver';
import { formatKubeconfig } from '@fnlet/client';
import { openLmdbStore } from '@fnlet/store';
import { Callers } from './callers.ts';
import { createUploads } from './create-uploads.ts';
import { openDataDirectory, readOrCreateToken, writeFileAtomically } from './data-directory.ts';
import { HeapLoad } from './heap-load.ts';
import type { House, ServerOptions } from './house.ts';
import { createLateAsyncCalls } from './late-async-calls.ts';
import { LateDeadLetters } from './late-dead-letters.ts';
import { LateEventTail } from './late-event-tail.ts';
import { LateMetrics } from './late-metrics.ts';
import { LateOperators } from './late-operators.ts';
import { createLatePodRuntime } from './late-pod-runtime.ts';
import { callersQuietMs, callersWaitMsMax, startSettledMs } from './limits.ts';
import { MetricSources } from './metric-sources.ts';
import { collectOnce, preferSmallHeap, preferThroughput } from './small-heap.ts';
import { ownYoungGeneration } from './young-generation.ts';

/** Where a running Fnlet answers; also the contents of `endpoints.json`. */
export interface Endpoints {
  readonly api: string;
  /** Absent, as the status page, where Functions are left to a controller elsewhere. */
  readonly gateway?: string;
  /** Absent where the Gateway speaks no TLS. */
  readonly gatewayTls?: string;
  readonly dashboard?: string;
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
  const api = await startApi(house);
  const { urls, begin } = await startBehind(house, api);
  const endpoints = { api, ...urls, kubeconfig: house.data.kubeconfig, pid: process.pid };
  await publishEndpoints(house, endpoints);
  await house.callers.giveWay();
  await begin();
  house.heapLoad.begin();
  const settled = options.clock.after(startSettledMs, collectOnce);
  stack.defer(() => settled.cancel());
  const started = stack.move();
  return { endpoints, failed: house.failed.promise, close: () => started.disposeAsync() };
}

/** Starts what works behind the API: where it answers, and what can wait until that is known. */
async function startBehind(
  house: House,
  api: string,
): Promise<{
  readonly urls: Pick<Endpoints, 'gateway' | 'gatewayTls' | 'dashboard'>;
  begin(): Promise<void>;
}> {
  if (house.options.config.clusterOnly) {
    const { createReaper } = await import('@fnlet/executor');
    const { clock, logger } = house.options;
    const reaper = house.stack.use(createReaper({ clock, logger }));
    const begin = async (): Promise<void> => {
      const { awaitWorkloads } = await import('./workload-lookout.ts');
      awaitWorkloads(house, { api, reaper });
    };
    return { urls: {}, begin };
  }
  const { startDataPlane } = await import('./data-plane.ts');
  await house.callers.giveWay();
  const { urls, reaper, instances } = await startDataPlane(house, api);
  const begin = async (): Promise<void> => {
    const { awaitForeignFunctions } = await import('./foreign-functions.ts');
    awaitForeignFunctions(house);
    const { awaitWorkloads } = await import('./workload-lookout.ts');
    awaitWorkloads(house, { api, reaper, instances });
  };
  return { urls, begin };
}

async function openHouse(options: ServerOptions, stack: AsyncDisposableStack): Promise<House> {
  const { config, clock, random, logger } = options;
  const data = await openDataDirectory(config.dataDirectory);
  const [store, tls, token] = await Promise.all([
    openLmdbStore({ directory: data.store }).then((opened) => stack.use(opened)),
    loadCertificates({ directory: data.pki, hosts: [config.host], clock }),
    readOrCreateToken(data.token),
  ]);
  rmSync(data.endpoints, { force: true });
  const podRuntime = createLatePodRuntime(process.platform);
  const metrics = new MetricSources();
  const asyncCalls = createLateAsyncCalls(data.asyncCalls);
  const eventTail = new LateEventTail();
  const deadLetters = new LateDeadLetters(clock, eventTail);
  const operators = new LateOperators();
  const measured = new LateMetrics(clock);
  const server = createApiServer({
    store,
    clock,
    random,
    logger,
    tokens: [{ token, user: adminUser }],
    caPem: tls.caPem,
    podRuntime,
    metrics: () => metrics.families(),
    extensions: [
      // A controller elsewhere answers for these, where it says so.
      ...(config.clusterOnly ? [] : [createUploads(data.uploads, clock), asyncCalls.api]),
      ...(config.clusterOnly ? [] : [deadLetters.api, operators.api]),
      ...(config.clusterOnly ? [] : measured.apis),
    ],
  });
  stack.use(server);
  const failed = Promise.withResolvers<never>();
  // Whoever waits on it is told; nobody has to.
  failed.promise.catch(() => {});
  const late = { podRuntime, asyncCalls, deadLetters, eventTail, operators, measured };
  const young = stack.use(ownYoungGeneration());
  const switches = {
    ...{ preferThroughput, preferSmallHeap },
    growYoung: () => young?.release(),
    holdYoung: () => young?.hold(),
  };
  const heapLoad = new HeapLoad(switches, crowdedParts);
  const callers = new Callers({ clock, quietMs: callersQuietMs, waitMsMax: callersWaitMsMax });
  const parts = { server, callers, ...late, metrics, heapLoad, failed, stack };
  return { options, data, store, tls, token, ...parts };
}

// In these, whatever comes meanwhile waits for the disk.
const crowdedParts: ReadonlySet<string> = new Set(['triggers']);

async function startApi(house: House): Promise<string> {
  const { options, data, tls, token, server, callers, stack } = house;
  const { host, apiPort: port } = options.config;
  await server.start();
  const onCaller = (): void => callers.seen();
  const onLoad = (isBusy: boolean): void => house.heapLoad.tell('watches', isBusy);
  const where = { host, port, tls, clock: options.clock };
  const front = stack.use(await listenHttps(server, { ...where, onCaller, onLoad }));
  const config = { name: 'fnlet', server: front.url, caPem: tls.caPem, token };
  await writeFileAtomically(data.kubeconfig, formatKubeconfig(config), 0o600);
  return front.url;
}

async function publishEndpoints({ data, stack }: House, endpoints: Endpoints): Promise<void> {
  await writeFileAtomically(data.endpoints, `${JSON.stringify(endpoints)}\n`, 0o600);
  const remove = (): void => rmSync(data.endpoints, { force: true });
  // A second Ctrl-C ends the process without closing anything; the file must not outlive it.
  process.once('exit', remove);
  stack.defer(() => {
    process.off('exit', remove);
    remove();
  });
}
