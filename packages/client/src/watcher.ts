import {
  type Clock,
  errorMessage,
  type Logger,
  type Random,
  randomInt,
  sleep,
  unreachable,
} from '@fnlet/base';
import { type KubeObject, StatusError } from '@fnlet/machinery';
import { limits } from './limits.ts';
import type { ReadOptions, ResourceClient } from './resource-client.ts';
import { SilenceAlarm } from './silence-alarm.ts';
import {
  type BusyPhase,
  initialWatcherState,
  stepWatcher,
  type WatcherEvent,
  type WatcherInput,
  type WatcherPhase,
  type WatchFailure,
} from './watcher-state.ts';

export interface WatchResourceOptions<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  /** What to follow. Default: every object of the kind. */
  readonly select?: Omit<ReadOptions, 'signal'> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Told whenever a watch is opened. Default: nobody. */
  readonly onOpen?: (() => void) | undefined;
  /** Ends the watcher; nothing else does. */
  readonly signal: AbortSignal;
}

/**
 * Follows the objects of one kind for as long as `signal` lets it: whatever fails in between, the
 * consumer ends up with the server's state. `stepWatcher` decides; this is the loop that acts.
 */
export async function* watchResource<T extends KubeObject>(
  options: WatchResourceOptions<T>,
): AsyncGenerator<WatcherEvent<T>, void, undefined> {
  const { random, signal } = options;
  let state = initialWatcherState;
  while (!signal.aborted) {
    for await (const input of act(state.phase, options)) {
      if (signal.aborted) return;
      const step = stepWatcher(state, input, random);
      state = step.state;
      yield* step.events;
    }
  }
}

function act<T extends KubeObject>(
  phase: WatcherPhase,
  options: WatchResourceOptions<T>,
): AsyncIterable<WatcherInput<T>> {
  switch (phase.kind) {
    case 'BackingOff':
      return wait(phase.delayMs, options);
    case 'Listing':
      return listOnce(phase, options);
    case 'Streaming':
    case 'Watching':
      return watchOnce(phase, options);
    default:
      return unreachable(phase);
  }
}

async function* wait<T extends KubeObject>(
  delayMs: number,
  { clock, signal }: WatchResourceOptions<T>,
): AsyncGenerator<WatcherInput<T>, void, undefined> {
  await sleep(clock, delayMs, signal);
  yield { kind: 'waited' };
}

async function* listOnce<T extends KubeObject>(
  phase: Extract<BusyPhase, { kind: 'Listing' }>,
  options: WatchResourceOptions<T>,
): AsyncGenerator<WatcherInput<T>, void, undefined> {
  const { client, select, signal } = options;
  const limit = phase.whole ? undefined : limits.pageSize;
  const selection = { ...select, limit, continue: phase.continue, signal };
  try {
    yield { kind: 'page', page: await client.list(selection) };
  } catch (error) {
    yield describeFailure(error, { ageMs: 0, silent: false }, options);
  }
}

/** One watch, from its request to its end. */
async function* watchOnce<T extends KubeObject>(
  phase: Exclude<BusyPhase, { kind: 'Listing' }>,
  options: WatchResourceOptions<T>,
): AsyncGenerator<WatcherInput<T>, void, undefined> {
  const { client, clock, random, select, signal } = options;
  const timeoutSeconds = randomTimeoutSeconds(random);
  const lifetimeMs = timeoutSeconds * 1000 + limits.watchEndGraceMs;
  const isInitial = phase.kind === 'Streaming';
  using alarm = new SilenceAlarm(
    clock,
    signal,
    isInitial ? limits.initialSilenceMaxMs : lifetimeMs,
  );
  const from = isInitial ? { sendInitialEvents: true } : { resourceVersion: phase.resourceVersion };
  const startedMs = clock.monotonicMs();
  let events = 0;
  try {
    const selection = { ...select, ...from, timeoutSeconds, signal: alarm.signal };
    options.onOpen?.();
    for await (const event of client.watch(selection)) {
      events += 1;
      if (event.type !== 'BOOKMARK') alarm.heard();
      else alarm.expectWithin(event.initialEventsEnd ? lifetimeMs : limits.bookmarkSilenceMaxMs);
      yield { kind: 'event', event };
    }
    yield { kind: 'ended', ageMs: clock.monotonicMs() - startedMs, events };
  } catch (error) {
    const ageMs = clock.monotonicMs() - startedMs;
    yield describeFailure(error, { ageMs, silent: alarm.rang }, options);
  }
}

/** Random, so that the watches of a restarted fleet do not end together (client-go's reflector). */
function randomTimeoutSeconds(random: Random): number {
  const { watchTimeoutMinSeconds: min, watchTimeoutMaxSeconds: max } = limits;
  return min + randomInt(random, max - min);
}

function describeFailure<T extends KubeObject>(
  error: unknown,
  facts: Pick<WatchFailure, 'ageMs' | 'silent'>,
  { client, logger, signal }: WatchResourceOptions<T>,
): WatchFailure {
  const status = error instanceof StatusError ? error.status.code : undefined;
  const retry = error instanceof StatusError ? error.retry : 'later';
  const retryAfterMs = typeof retry === 'string' ? undefined : retry.afterMs;
  if (!signal.aborted) {
    const fields = { resource: client.type.plural, error: errorMessage(error), ...facts };
    logger.warn('A watch has failed and will be tried again', fields);
  }
  return { kind: 'failed', status, retryAfterMs, ...facts };
}
