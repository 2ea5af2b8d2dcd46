/**
 * The Triggers that deliver events, each where it is to run.
 *
 * I1. A Trigger runs where its key is owned, and nowhere else: what another replica takes over has
 *     ended here before.
 * I2. With a Trigger goes what waits for its delivery: at once where it runs, else when this
 *     process starts again.
 * I3. A status is written when what it says of the Trigger changes; numbers alone wait for
 *     `statusMs`, and for their turn among those of all Triggers, and an idle Trigger writes
 *     nothing. One that was ready before a restart has as long to be so again before anything else
 *     is said.
 */
import { parseTrigger, type TriggerObject } from '@fnlet/api';
import {
  type Clock,
  errorMessage,
  FnletError,
  LoadMeter,
  type Logger,
  type MetricFamily,
  type Random,
} from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { Invoker } from '@fnlet/invocation';
import {
  findCondition,
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseObjectKey,
} from '@fnlet/machinery';
import {
  type EventRecorder,
  type KeyOwnership,
  ReconcileError,
  type Result,
  type StatusUpdate,
  type StatusWriter,
} from '@fnlet/reconcile';
import type { Log } from '@fnlet/store/log';
import { sweepConsumers } from '../broker/broker-feed.ts';
import { brokerStreams } from '../broker/broker-stream.ts';
import type { BrokerWays } from '../broker/broker-ways.ts';
import { deadLetterStream } from '../dead-letters/dead-letters.ts';
import { DeliverySlots } from '../delivery/delivery-slots.ts';
import { openQuotaLimits, slotLimits } from '../delivery/limits.ts';
import { OpenQuota } from '../delivery/open-quota.ts';
import type { OperatorWays } from '../delivery/operator-ways.ts';
import { RateGate } from '../delivery/rate-gate.ts';
import type { EventPort } from '../delivery/url-target.ts';
import type { TargetFunction } from '../http/http-triggers.ts';
import type { GatewayUrls } from '../http/plan-trigger-status.ts';
import { LateSourceChildren } from '../sources/custom/late-source-children.ts';
import type { EventEndpoints } from '../sources/http/event-endpoints.ts';
import {
  type EventHappening,
  type EventPlace,
  isWanted,
  type TailQuery,
} from '../tail/event-happening.ts';
import type { EventTail } from '../tail/event-tail.ts';
import { readHistory, unsettled } from '../tail/read-history.ts';
import { bringsEvents } from './brings-events.ts';
import { findObstacle } from './find-obstacle.ts';
import { KeyLock } from './key-lock.ts';
import { type Looked, lagSince } from './lag.ts';
import { LettersError } from './letters-error.ts';
import { triggerLimits } from './limits.ts';
import { checkpointStream, sourceStream } from './log-checkpoint.ts';
import { createSourceOpener, type SourceOpener } from './open-source.ts';
import { createTargetOpener, type TargetOpener } from './open-target.ts';
import { planEventStatus, type TriggerObstacle } from './plan-event-status.ts';
import { readSecretKey } from './read-secret-key.ts';
import { TriggerLetters } from './trigger-letters.ts';
import { deliveryDurations, triggerFamilies } from './trigger-metrics.ts';
import { type StateChange, TriggerRun, type TriggerState, triggerStream } from './trigger-run.ts';

export interface EventTriggersOptions {
  /** Opens the log, when the first Trigger needs it; closed by whoever gave it. */
  readonly openLog: () => Promise<Log>;
  readonly client: Client;
  readonly triggers: Cache<TriggerObject>;
  readonly functions: Cache<TargetFunction>;
  readonly invoke: Invoker;
  /** The way out to URLs. */
  readonly port: EventPort;
  readonly brokers: BrokerWays;
  readonly operators: OperatorWays;
  /** Who is told of events. Default: nobody. */
  readonly tail?: EventTail | undefined;
  /** Where requests come in that are events. */
  readonly endpoints: EventEndpoints;
  /** Where the Gateway is reached, once it listens. */
  readonly gatewayUrls: Promise<GatewayUrls>;
  readonly status: StatusWriter<TriggerObject>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Has a Trigger looked at, now or after a while. */
  readonly enqueue: (key: ObjectKey, after?: { readonly afterMs: number }) => void;
  /** Which Triggers run here. Default: all. */
  readonly ownership?: KeyOwnership | undefined;
  /** Told when many events go through, and when no more. Default: nobody. */
  readonly onLoad?: ((isBusy: boolean) => void) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A Trigger that runs here, as it was looked at last. */
interface Running {
  readonly run: TriggerRun;
  trigger: TriggerObject;
  looked: Looked | undefined;
  /** When it began to run. */
  readonly begunMs: number;
  /** When its status was written last. */
  writtenMs: number;
  /** When it is its turn to show other numbers, if it waits for that. */
  turnMs: number | undefined;
  /** Whether it is to be looked at already. */
  isAwaited: boolean;
}

export class EventTriggers {
  readonly #options: EventTriggersOptions;
  readonly #openSource: SourceOpener;
  readonly #openTarget: TargetOpener;
  readonly #children: LateSourceChildren;
  readonly #running = new Map<string, Running>();
  readonly #durations = deliveryDurations();
  readonly #lock = new KeyLock();
  readonly #load: LoadMeter | undefined;
  readonly #slots: DeliverySlots;
  readonly #numbers = new RateGate({
    perSecond: triggerLimits.numbersPerSecond,
    burst: triggerLimits.numbersBurst,
  });
  readonly #openQuota = new OpenQuota(openQuotaLimits);
  #opened: Promise<Log> | undefined;
  readonly #unsubscribes: readonly (() => void)[];

  constructor(options: EventTriggersOptions) {
    const { clock, onLoad } = options;
    this.#options = options;
    const { busyPerSecond, quietSeconds } = triggerLimits;
    this.#load = onLoad && new LoadMeter({ clock, busyPerSecond, quietSeconds, onChange: onLoad });
    this.#slots = new DeliverySlots(slotLimits, {
      nextTurn: (callback) => void setImmediate(callback),
      onTaken: () => this.#load?.note(),
    });
    this.#unsubscribes = [
      options.brokers.subscribe((key) => this.#enqueueUsers('broker', key)),
      options.operators.subscribe((key) => this.#enqueueUsers('operator', key)),
    ];
    this.#openSource = createSourceOpener(options);
    this.#openTarget = createTargetOpener(options);
    this.#children = new LateSourceChildren(options);
  }

  /** Makes what is there of a Trigger true; returns when it is to be looked at again. */
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const id = formatObjectKey(key);
    return this.#lock.run(id, () => this.#reconcile(key, id, signal));
  }

  /**
   * Which Triggers are owned has changed: ends those that are not any more, and begins others.
   * Resolves when those have ended (I1).
   */
  async rebalance(): Promise<void> {
    const { triggers, enqueue } = this.#options;
    for (const trigger of triggers.list()) enqueue(objectKey(trigger));
    await Promise.all([...this.#running.keys()].map((id) => this.#release(id)));
  }

  /** Ends all of them; what they accepted stays in the log. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    await this.#children.close();
    await Promise.all([...this.#running.values()].map(({ run }) => run.close()));
    this.#running.clear();
  }

  /** Their dead letters. */
  letters(): TriggerLetters {
    const { triggers, clock } = this.#options;
    return new TriggerLetters({
      ...{ triggers, clock },
      openLog: () => this.#log(),
      openTarget: this.#openTarget,
      onGone: (key) => this.#await(formatObjectKey(key), 'numbers'),
      give: async (key, events, signal) => {
        const id = formatObjectKey(key);
        const running = this.#running.get(id);
        if (running !== undefined) return running.run.replay(running.trigger, events, signal);
        const isThere = triggers.get(key) !== undefined;
        const found = isThere ? 'it does not run here now' : 'there is none';
        const message = `Cannot replay to Trigger "${id}": ${found}`;
        throw new LettersError(isThere ? 'NotHere' : 'NotFound', message);
      },
    });
  }

  /** How many events wait for the target of a Trigger; `undefined` while that is not known here. */
  lagOf({ metadata }: TriggerObject): number | undefined {
    const { namespace = '', name } = metadata;
    const running = this.#running.get(formatObjectKey({ namespace, name }));
    return running?.looked && lagSince(running.looked, running.run.counts);
  }

  /** What Triggers keep from a time on, those that are wanted: what waits, and dead letters. */
  async history(query: TailQuery, sinceMs: number): Promise<readonly EventHappening[]> {
    const log = await this.#log();
    const found: EventHappening[] = [];
    for (const { metadata, spec } of this.#options.triggers.list()) {
      const { namespace = '', name, uid = '' } = metadata;
      const place: EventPlace = { kind: 'Trigger', namespace, name };
      if (!bringsEvents(spec.source) || !isWanted(query, place)) continue;
      const stream = await log.stream(triggerStream(uid));
      const counts = await unsettled(await stream.consumer('delivery'));
      found.push(...(await readHistory(stream, { place, outcome: 'waiting', sinceMs, counts })));
      const letters = await log.stream(deadLetterStream(uid));
      found.push(...(await readHistory(letters, { place, outcome: 'dead', sinceMs })));
    }
    return found;
  }

  metrics(): readonly MetricFamily[] {
    const measured = [...this.#running.values()].map(({ run, trigger, looked }) => {
      const { namespace = '', name } = trigger.metadata;
      return { namespace, name, counts: run.counts, state: looked?.state };
    });
    return [...triggerFamilies(measured), this.#durations.family()];
  }

  async #reconcile(key: ObjectKey, id: string, signal: AbortSignal): Promise<Result | undefined> {
    const { triggers, ownership } = this.#options;
    const found = triggers.get(key);
    const trigger = found === undefined ? undefined : readEventTrigger(found);
    const before = this.#running.get(id);
    if (before !== undefined && before.trigger.metadata.uid !== trigger?.metadata.uid) {
      await this.#remove(id, before);
    }
    if (trigger === undefined) return undefined;
    if (ownership?.ownsKey(key) === false) {
      await this.#end(id);
      return undefined;
    }
    const running = this.#running.get(id) ?? (await this.#begin(id, trigger));
    running.trigger = trigger;
    running.isAwaited = false;
    await this.#children.reconcile(trigger, signal);
    const obstacle = findObstacle(trigger, this.#options);
    const invalid = await this.#apply(running, obstacle === undefined);
    return this.#tell(running, invalid ?? obstacle, signal);
  }

  async #begin(id: string, trigger: TriggerObject): Promise<Running> {
    const { client, events, brokers, tail, clock, random, logger } = this.#options;
    const { namespace = '', name, uid = '' } = trigger.metadata;
    const run = await TriggerRun.open({
      ...{ log: await this.#log(), namespace, name, uid, clock, random, logger },
      openSource: this.#openSource,
      openTarget: this.#openTarget,
      brokers,
      tail,
      slots: this.#slots,
      openQuota: this.#openQuota,
      readSecret: (secret, key) => readSecretKey(client, { namespace, name: secret, key }),
      tell: (happening) => {
        const about = this.#running.get(id)?.trigger ?? trigger;
        events.record(about, { type: 'Warning', ...happening });
      },
      onAnswered: (ms) => this.#durations.observe({ namespace, trigger: name }, ms / 1_000),
      onAccepted: () => this.#load?.note(),
      onChange: (change) => this.#await(id, change),
    });
    const running: Running = {
      ...{ run, trigger, looked: undefined, isAwaited: false },
      begunMs: clock.now(),
      writtenMs: Number.NEGATIVE_INFINITY,
      turnMs: undefined,
    };
    this.#running.set(id, running);
    return running;
  }

  /** A Broker, or an Operator, came or went. */
  #enqueueUsers(what: 'broker' | 'operator', { namespace, name }: ObjectKey): void {
    const { triggers, enqueue } = this.#options;
    for (const { metadata, spec } of triggers.list()) {
      const named = [what === 'broker' && spec.source.broker?.name, spec.target[what]];
      if (metadata.namespace === namespace && named.includes(name)) {
        enqueue({ namespace, name: metadata.name });
      }
    }
  }

  /** Why it cannot run as it says, if so; then it runs as it did before. */
  async #apply({ run, trigger }: Running, reaches: boolean): Promise<TriggerObstacle | undefined> {
    try {
      await run.apply(trigger, reaches);
      return undefined;
    } catch (error) {
      if (!(error instanceof FnletError)) throw error;
      return { reason: 'invalidSpec', message: error.message };
    }
  }

  /** Has it looked at when its status may be written again (I3). */
  #await(id: string, change: StateChange): void {
    const { clock, enqueue } = this.#options;
    const running = this.#running.get(id);
    if (running !== undefined && change === 'phase') enqueue(parseObjectKey(id));
    if (running === undefined || running.isAwaited) return;
    running.isAwaited = true;
    enqueue(parseObjectKey(id), { afterMs: this.#numbersInMs(running, clock.now()) });
  }

  /** How long other numbers alone have to wait until they are written; who asks has a turn. */
  #numbersInMs(running: Running, nowMs: number): number {
    const leftMs = running.writtenMs + triggerLimits.statusMs - nowMs;
    if (leftMs > 0) return leftMs;
    if (running.turnMs === undefined) {
      running.turnMs = Math.max(nowMs, this.#numbers.opensMs);
      this.#numbers.pass(nowMs);
    }
    return Math.max(0, running.turnMs - nowMs);
  }

  async #tell(
    running: Running,
    obstacle: TriggerObstacle | undefined,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { status, events, clock } = this.#options;
    const { run, trigger, begunMs } = running;
    const state = await run.state();
    running.looked = { state, counts: run.counts };
    const startedMs = clock.now() - begunMs;
    if (isStarting(state) && wasReady(trigger) && startedMs < triggerLimits.statusMs) {
      return { requeueAfterMs: triggerLimits.statusMs - startedMs };
    }
    const update = planEventStatus({ trigger, state, obstacle });
    // What waits is delivered without anybody saying so here.
    const again = state.pending > 0 ? { requeueAfterMs: triggerLimits.statusMs } : undefined;
    if (!saysOtherwise(trigger, update)) {
      const waitMs = this.#numbersInMs(running, clock.now());
      if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, again?.requeueAfterMs ?? waitMs) };
    }
    running.turnMs = undefined;
    const written = await status.write(trigger, update, signal);
    if (written === undefined) return again;
    running.writtenMs = clock.now();
    const ready = findCondition(written.status?.conditions, 'Ready');
    const before = findCondition(trigger.status?.conditions, 'Ready');
    // That it is being started is no news.
    if (ready !== undefined && ready.status !== 'Unknown' && ready.reason !== before?.reason) {
      const { reason = '', message = '' } = ready;
      events.record(trigger, {
        type: ready.status === 'True' ? 'Normal' : 'Warning',
        reason,
        message,
      });
    }
    return again;
  }

  #release(id: string): Promise<void> {
    const { ownership } = this.#options;
    return this.#lock.run(id, async () => {
      if (ownership?.ownsKey(parseObjectKey(id)) === false) await this.#end(id);
    });
  }

  async #end(id: string): Promise<void> {
    await this.#running.get(id)?.run.close();
    this.#running.delete(id);
    const { namespace = '', name } = parseObjectKey(id);
    this.#durations.remove({ namespace, trigger: name });
  }

  /** I2 */
  async #remove(id: string, { run, trigger }: Running): Promise<void> {
    const { events } = this.#options;
    const { pending, deadLetters } = await run.state();
    await run.leave();
    await this.#end(id);
    this.#children.forget(trigger);
    await removeStreams(await this.#log(), trigger.metadata.uid ?? '');
    if (pending + deadLetters === 0) return;
    const undelivered = `${pending} events that were not delivered and ${deadLetters} dead letters`;
    const message = `${undelivered} went with the Trigger`;
    events.record(trigger, { type: 'Warning', reason: 'EventsDropped', message });
  }

  #log(): Promise<Log> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      // Whoever needs it next tries again.
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<Log> {
    const log = await this.#options.openLog();
    await this.#sweep(log);
    return log;
  }

  /** What is kept of Triggers that went while nobody looked. */
  async #sweep(log: Log): Promise<void> {
    const { triggers, logger } = this.#options;
    const known = new Set(triggers.list().map(({ metadata }) => metadata.uid));
    for (const name of await log.streams(triggerStream(''))) {
      const uid = name.slice(triggerStream('').length);
      if (known.has(uid)) continue;
      logger.info('What is kept of a Trigger goes, as it did', { uid });
      await removeStreams(log, uid);
    }
    for (const name of await log.streams(brokerStreams)) {
      await sweepConsumers(await log.stream(name), (uid) => known.has(uid));
    }
  }
}

/** Whether nobody knows yet how its source is. */
function isStarting({ source }: TriggerState): boolean {
  return source.phase === 'starting' && source.trouble === undefined;
}

/** Whether the status says of the spec as it is now that it is ready. */
function wasReady({ metadata, status }: TriggerObject): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

async function removeStreams(log: Log, uid: string): Promise<void> {
  await log.removeStream(triggerStream(uid));
  await log.removeStream(checkpointStream(uid));
  await log.removeStream(sourceStream(uid));
  await log.removeStream(deadLetterStream(uid));
}

/** Whether it would say something else, not only show other numbers. */
function saysOtherwise(
  { metadata, status }: TriggerObject,
  { conditions = [] }: StatusUpdate,
): boolean {
  if (status?.observedGeneration !== metadata.generation) return true;
  return conditions.some((said) => {
    const shown = findCondition(status?.conditions, said.type);
    return (
      shown?.status !== said.status ||
      shown.reason !== said.reason ||
      (shown.message ?? '') !== (said.message ?? '')
    );
  });
}

/** `undefined` for one that is going, or has no events. */
function readEventTrigger(object: KubeObject): TriggerObject | undefined {
  try {
    const trigger = parseTrigger(object);
    const isGoing = trigger.metadata.deletionTimestamp !== undefined;
    return isGoing || !bringsEvents(trigger.spec.source) ? undefined : trigger;
  } catch (cause) {
    // It did not pass its schema: only another write can help.
    throw new ReconcileError('Terminal', errorMessage(cause), { cause });
  }
}
