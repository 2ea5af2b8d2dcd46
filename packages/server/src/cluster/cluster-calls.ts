/**
 * Calls that are answered later, in a cluster: kept and tried in the replica of the controller that
 * leads, where its directory outlives it.
 */
import { join } from 'node:path';
import type { ApiExtension } from '@fnlet/apiserver/extension';
import type { Clock, Logger, MetricFamily, Random } from '@fnlet/base';
import type { AsyncCalls } from '@fnlet/eventing/async';
import type { Invoker } from '@fnlet/invocation';
import { type ObjectKey, statusError } from '@fnlet/machinery';
import { createCallbackPort } from '../callback-port.ts';
import { parseCallbackRule } from '../callback-rule.ts';
import { createLateAsyncCalls } from '../late-async-calls.ts';
import type { Loops } from './cluster-process.ts';
import type { FleetRoutes } from './fleet-routes.ts';
import { callsGraceMs } from './limits.ts';

export interface ClusterCallsOptions {
  /** Told of who takes them. */
  readonly routes: FleetRoutes;
  /** Calls Functions. */
  readonly invoke: Invoker;
  /** Of this replica. */
  readonly dataDirectory: string;
  /** As `parseCallbackRule` reads it. */
  readonly callbackHosts: string;
  /** Where people reach the Gateway, which may always be called back. */
  readonly gatewayUrl: string;
  readonly loops: Loops;
  /** Closed after the loops have ended. */
  readonly kept: AsyncDisposableStack;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Asynchronous calls, for those who ask about them all. */
export interface ClusterCalls {
  /** Shows them to those who may see all of a namespace. */
  readonly api: ApiExtension;
  /** How many of them wait for a Function; `undefined` while they are being taken up. */
  lagOf(key: ObjectKey): number | undefined;
  metrics(): readonly MetricFamily[];
}

/** None are taken: the directory does not outlive this replica. */
export const noClusterCalls: ClusterCalls = {
  api: {
    group: 'calls.fnlet.dev',
    answer() {
      const found = 'no directory that outlives the controller; artifacts.persistent gives it one';
      const message = `Cannot look for asynchronous calls, for none are taken here: found ${found}`;
      return Promise.reject(statusError('Conflict', message));
    },
  },
  lagOf: () => 0,
  metrics: () => [],
};

/** Takes up calls that are kept, and others from then on. What takes them is loaded with the first. */
export function takeClusterCalls(options: ClusterCallsOptions): ClusterCalls {
  const { routes, loops, dataDirectory } = options;
  const directory = join(dataDirectory, 'async');
  const late = createLateAsyncCalls(directory);
  let opened: AsyncCalls | undefined;
  routes.setLater(late);
  loops.run('start of asynchronous calls', (signal) =>
    late.begin(async () => {
      opened = await open(options, directory, signal);
      return opened;
    }),
  );
  const { api } = late;
  return { api, lagOf: (key) => late.lagOf(key), metrics: () => opened?.metrics() ?? [] };
}

async function open(
  options: ClusterCallsOptions,
  directory: string,
  signal: AbortSignal,
): Promise<AsyncCalls> {
  const { invoke, callbackHosts, gatewayUrl, loops, kept, clock, random, logger } = options;
  const { AsyncCalls } = await import('@fnlet/eventing/async');
  const { openLmdbStore } = await import('@fnlet/store');
  signal.throwIfAborted();
  // Nobody watches calls, so no history is needed.
  const store = kept.use(await openLmdbStore({ directory, historyMin: 1 }));
  const rule = parseCallbackRule(callbackHosts, () => new URL(gatewayUrl).host);
  const calls = new AsyncCalls({
    ...{ store, invoke, callbacks: createCallbackPort(rule), clock, random, logger },
    limits: { graceMs: callsGraceMs },
  });
  kept.defer(() => calls.close());
  loops.run('asynchronous calls', (stop) => calls.run(stop));
  return calls;
}
