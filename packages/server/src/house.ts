import type { ApiServer, TlsIdentity } from '@fnlet/apiserver';
import { type Clock, errorMessage, type Logger, type Random } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import type { Callers } from './callers.ts';
import type { ServerConfig } from './config.ts';
import type { DataDirectory } from './data-directory.ts';
import type { HeapLoad } from './heap-load.ts';
import type { LateAsyncCalls } from './late-async-calls.ts';
import type { LateDeadLetters } from './late-dead-letters.ts';
import type { LateEventTail } from './late-event-tail.ts';
import type { LateMetrics } from './late-metrics.ts';
import type { LateOperators } from './late-operators.ts';
import type { LatePodRuntime } from './late-pod-runtime.ts';
import type { MetricSources } from './metric-sources.ts';

export interface ServerOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Variables of this process; npm is told a few of them, functions none. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What the steps of the start share. */
export interface House {
  readonly options: ServerOptions;
  readonly data: DataDirectory;
  readonly store: Store;
  readonly tls: TlsIdentity;
  /** The administrator's. */
  readonly token: string;
  readonly server: ApiServer;
  /** Who asks the API; the steps of the start give way to them. */
  readonly callers: Callers;
  readonly podRuntime: LatePodRuntime;
  /** What `/metrics` tells of the parts that start after the API. */
  readonly metrics: MetricSources;
  readonly asyncCalls: LateAsyncCalls;
  readonly deadLetters: LateDeadLetters;
  /** What happens to events, for those who watch. */
  readonly eventTail: LateEventTail;
  readonly operators: LateOperators;
  /** What autoscalers may read. */
  readonly measured: LateMetrics;
  /** What has so much to do that V8 is not to save memory meanwhile. */
  readonly heapLoad: HeapLoad;
  /** Rejects when a part that must not stop has failed. */
  readonly failed: PromiseWithResolvers<never>;
  /** Whatever was started, in the order in which it was; it is stopped in reverse. */
  readonly stack: AsyncDisposableStack;
}

/** Runs a loop for as long as the house stands; its failure ends the house. */
export function runInBackground(
  { options: { logger }, failed, stack }: House,
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
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
