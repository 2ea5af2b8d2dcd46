/**
 * A Trigger that delivers events, while it runs here: its stream, its source, its delivery.
 *
 * I1. Whatever is edited, stopped or started again: the stream stays, and so does what is in it.
 * I2. At any moment one source and one delivery of a Trigger run at most: the next one begins when
 *     the one before has ended.
 * I3. While it is paused or its target is not there, neither costs anything.
 */
import { formatTarget, resolveDelivery, type TriggerObject } from '@fnlet/api';
import { type Clock, errorMessage, jsonEqual, type Logger, type Random } from '@fnlet/base';
import type { Log, LogStream } from '@fnlet/store/log';
import { type BrokerFeed, brokerConsumer, feedLag, openBrokerFeed } from '../broker/broker-feed.ts';
import { brokerStream } from '../broker/broker-stream.ts';
import type { BrokerWays, FoundBroker } from '../broker/broker-ways.ts';
import { createReplyingTarget } from '../broker/replying-target.ts';
import { openDeadLetterSink } from '../dead-letters/dead-letter-sink.ts';
import { DeadLetters } from '../dead-letters/dead-letters.ts';
import { Delivery } from '../delivery/delivery.ts';
import { type DeliveryCounts, noCounts } from '../delivery/delivery-counts.ts';
import type { DeliveryOptions } from '../delivery/delivery-options.ts';
import type { DeliverySlots } from '../delivery/delivery-slots.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { compileEventKeys } from '../delivery/event-keys.ts';
import type { EventTarget } from '../delivery/event-target.ts';
import type { GivenUpEvent } from '../delivery/given-up-event.ts';
import type { OpenQuota } from '../delivery/open-quota.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { eventIdentity } from '../event/event-entry.ts';
import { compileFilters } from '../filter/compile-filters.ts';
import type { Source, SourceContext, SourceHappening } from '../sources/source.ts';
import type { EventTail } from '../tail/event-tail.ts';
import { createEventWatch, type EventWatch } from '../tail/event-watch.ts';
import { deliverEach } from './deliver-each.ts';
import { EventIntake, type IntakeCounts } from './event-intake.ts';
import { KeptRunning } from './kept-running.ts';
import { triggerLimits } from './limits.ts';
import { createLogCheckpoint, sourceStream } from './log-checkpoint.ts';
import type { TargetOpener } from './open-target.ts';
import { compileOrderingKey, orderingKeyOf } from './ordering-key.ts';
import { createReplacedTarget } from './replaced-target.ts';

/** The stream that holds the events of a Trigger. */
export function triggerStream(uid: string): string {
  return `trigger/${uid}`;
}

export interface TriggerRunOptions {
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** @throws SourceError `InvalidSource` */
  readonly openSource: (trigger: TriggerObject, context: SourceContext) => Promise<Source>;
  readonly openTarget: TargetOpener;
  readonly brokers: BrokerWays;
  /** What all Triggers may have under way together. */
  readonly slots: DeliverySlots;
  /** What all Triggers may have read and not settled together. */
  readonly openQuota: OpenQuota;
  readonly readSecret: (name: string, key: string) => Promise<string | undefined>;
  readonly tell: (happening: SourceHappening) => void;
  /** Who is told of events. Default: nobody. */
  readonly tail?: EventTail | undefined;
  /** Told how long each request to the target took, milliseconds. */
  readonly onAnswered: (durationMs: number) => void;
  /** Called when something came in. */
  readonly onAccepted: () => void;
  /** Called when its state may be another one: in more than numbers, or in numbers alone. */
  readonly onChange: (change: StateChange) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** `phase`: a part of it runs now, or does not any more; `numbers`: anything else. */
export type StateChange = 'phase' | 'numbers';

/** How a part of it is. */
export interface PartState {
  readonly phase: 'stopped' | 'starting' | 'running' | 'failed';
  /** What is wrong, or was until it was started again. */
  readonly trouble: string | undefined;
}

/** How its source is. */
export interface SourceStanding extends PartState {
  /** Events that wait where they come from. */
  readonly lag: number | undefined;
  /** When it brings the next event. */
  readonly nextMs: number | undefined;
}

export interface TriggerState {
  readonly source: SourceStanding;
  readonly delivery: PartState & Pick<DeliveryState, 'circuit' | 'failures' | 'lastFailure'>;
  /** Events that are kept and not delivered. */
  readonly pending: number;
  /** Events that were given up and are kept. */
  readonly deadLetters: number;
  readonly lastEventMs: number | undefined;
  readonly lastDeliveryMs: number | undefined;
}

type KeyOf = (event: CloudEvent) => string | undefined;

const stopped: PartState = { phase: 'stopped', trouble: undefined };
const noSource: SourceStanding = { ...stopped, lag: undefined, nextMs: undefined };

export class TriggerRun {
  readonly #options: TriggerRunOptions;
  readonly #stream: LogStream;
  readonly #letters: DeadLetters;
  readonly #intake: EventIntake;
  readonly #watch: EventWatch | undefined;
  #trigger: TriggerObject | undefined;
  #source: KeptRunning | undefined;
  #sourceState: SourceStanding = noSource;
  /** What it reads instead of its own stream, where its source is a Broker that is there. */
  #feed: BrokerFeed | undefined;
  #delivering: KeptRunning | undefined;
  /** Delivers dead letters, where there is a sink for them. */
  #sink: KeptRunning | undefined;
  #deliveryState: PartState = stopped;
  #delivery: Delivery | undefined;
  /** Of deliveries that have ended. */
  #counted: DeliveryCounts = noCounts();
  #replace: (() => void) | undefined;

  private constructor(options: TriggerRunOptions, stream: LogStream, letters: DeadLetters) {
    const { namespace, name, clock, tail, tell, onAccepted, onChange } = options;
    this.#options = options;
    const place = { kind: 'Trigger', namespace, name } as const;
    this.#watch = createEventWatch(tail, place, () => clock.now());
    this.#stream = stream;
    this.#letters = letters;
    this.#intake = new EventIntake({
      stream,
      clock,
      tell,
      watch: this.#watch,
      giveUp: (event, trouble) => this.#buryTooLarge(event, trouble),
      onAccepted: () => {
        this.#replace?.();
        onAccepted();
        onChange('numbers');
      },
    });
  }

  static async open(options: TriggerRunOptions): Promise<TriggerRun> {
    const { dedupeMs } = triggerLimits;
    const { log, uid, clock } = options;
    const stream = await log.stream(triggerStream(uid), { dedupeMs });
    return new TriggerRun(options, stream, await DeadLetters.open(log, uid, clock));
  }

  get counts(): Readonly<IntakeCounts & DeliveryCounts> {
    return { ...this.#intake.counts, ...addCounts(this.#counted, this.#delivery?.counts) };
  }

  async state(): Promise<TriggerState> {
    const delivery = await this.#delivery?.state();
    const pending = delivery?.lag ?? (await this.#waiting());
    const { circuit = 'closed', failures = 0, lastFailure } = delivery ?? {};
    return {
      source: this.#sourceState,
      delivery: { ...this.#deliveryState, circuit, failures, lastFailure },
      pending,
      deadLetters: await this.#letters.count(),
      lastEventMs: this.#intake.lastEventMs ?? delivery?.lastEventMs,
      lastDeliveryMs: delivery?.lastDeliveryMs,
    };
  }

  /**
   * Runs as the Trigger says now, and goes on where it did before.
   *
   * @param reaches whether there is a target to deliver to
   * @throws FilterError, CesqlError, ReconcileError; then everything is as it was
   */
  async apply(given: TriggerObject, reaches: boolean): Promise<void> {
    const trigger = this.#withDelivery(given);
    const { spec } = trigger;
    const before = this.#trigger?.spec;
    const isPaused = spec.paused === true;
    const sameSource = jsonEqual(before?.source, spec.source);
    const sameWay =
      sameSource &&
      jsonEqual(before?.target, spec.target) &&
      jsonEqual(before?.delivery, spec.delivery);
    const feed = await this.#openFeed(trigger);
    const sameFeed = feed?.stream.name === this.#feed?.stream.name;
    const passes = compileFilters(spec.filters ?? []);
    const orderingKey = orderingKeyOf(spec);
    const keyOf = orderingKey === undefined ? undefined : compileOrderingKey(orderingKey);
    if (spec.target.object !== undefined) compileEventKeys(spec.target.object, '');
    this.#intake.passes = passes;
    this.#trigger = trigger;
    // Requests come whether they are asked for or not: what they bring is kept.
    const { http, custom } = spec.source;
    const isAsked = !isPaused || http !== undefined || custom !== undefined;
    if (!isAsked || !sameSource) await this.#endSource();
    if (isPaused || !reaches || !sameWay || !sameFeed) await this.#endDelivery();
    this.#feed = feed;
    if (spec.source.broker !== undefined) this.#sourceState = feedStanding(feed);
    else if (isAsked) this.#source ??= this.#bring(trigger);
    if (isPaused) return;
    if (reaches) this.#delivering ??= this.#deliver(trigger, keyOf);
    this.#sink ??= this.#bury(trigger);
  }

  /**
   * Takes events again that were given up. Those of a Broker are in a stream that others read, too:
   * they are delivered at once.
   *
   * @throws LettersError `NotTaken`, LogError
   */
  async replay(
    trigger: TriggerObject,
    events: readonly CloudEvent[],
    signal: AbortSignal,
  ): Promise<void> {
    const { spec } = trigger;
    if (spec.source.broker === undefined) return this.#intake.replay(events, signal);
    const { namespace, name, uid, openTarget } = this.#options;
    const policy = { ...resolveDelivery(spec.delivery), batch: { size: 1, waitMs: 0 } };
    const { source, target: place } = spec;
    const target = openTarget({ namespace, trigger: name, source, target: place, policy });
    await deliverEach(this.#withReplies(trigger, target), { owner: uid, events }, signal);
  }

  /** Ends it; what was accepted stays in the log. */
  async close(): Promise<void> {
    await this.#endSource();
    await this.#endDelivery();
  }

  /** Gives up what it has not read of its Broker, before it is closed for good. */
  async leave(): Promise<void> {
    await this.#endDelivery();
    const { uid } = this.#options;
    await this.#feed?.stream.removeConsumer(brokerConsumer(uid));
    this.#feed = undefined;
  }

  async #openFeed(trigger: TriggerObject): Promise<BrokerFeed | undefined> {
    const uid = this.#brokerOf(trigger)?.uid;
    if (uid === undefined) return undefined;
    return this.#feed?.stream.name === brokerStream(uid)
      ? this.#feed
      : openBrokerFeed(this.#options.log, trigger, uid);
  }

  #brokerOf({ spec }: TriggerObject): FoundBroker | undefined {
    const { namespace, brokers } = this.#options;
    const { broker } = spec.source;
    return broker && brokers.find({ namespace, name: broker.name });
  }

  /** With the delivery of its Broker, where it has none of its own. */
  #withDelivery(trigger: TriggerObject): TriggerObject {
    const delivery = trigger.spec.delivery ?? this.#brokerOf(trigger)?.delivery;
    return delivery === undefined ? trigger : { ...trigger, spec: { ...trigger.spec, delivery } };
  }

  /** Events that are kept and not delivered, while nothing is delivered. */
  async #waiting(): Promise<number> {
    return this.#feed === undefined ? (await this.#stream.size()).records : feedLag(this.#feed);
  }

  async #endSource(): Promise<void> {
    await this.#source?.stop();
    this.#source = undefined;
    this.#sourceState = noSource;
  }

  async #endDelivery(): Promise<void> {
    await this.#delivering?.stop();
    await this.#sink?.stop();
    this.#delivering = undefined;
    this.#sink = undefined;
    this.#deliveryState = stopped;
  }

  #bring(trigger: TriggerObject): KeptRunning {
    const { openSource, clock, random, onChange } = this.#options;
    this.#sourceState = { ...noSource, phase: 'starting' };
    return new KeptRunning({
      run: async (signal) => {
        const source = await openSource(trigger, this.#context(signal));
        await source.run(signal);
      },
      onTrouble: (error) => {
        const phase = error === undefined ? 'starting' : 'failed';
        const trouble = error === undefined ? this.#sourceState.trouble : errorMessage(error);
        this.#sourceState = { ...noSource, phase, trouble };
        onChange('phase');
      },
      ...{ clock, random },
    });
  }

  #context(signal: AbortSignal): SourceContext {
    const { log, namespace, name, uid, readSecret, tell, onChange } = this.#options;
    const { clock, random, logger } = this.#options;
    return {
      ...{ namespace, name, uid, tell, clock, random, logger },
      accept: (events) => this.#intake.accept(events, signal),
      checkpoint: createLogCheckpoint(log, uid),
      stream: (options) => log.stream(sourceStream(uid), options),
      undelivered: async () => (await this.state()).pending,
      report: ({ connected, trouble, lag, nextMs }) => {
        const phase = connected ? 'running' : 'failed';
        const isOther = phase !== this.#sourceState.phase;
        this.#sourceState = { phase, trouble, lag, nextMs };
        onChange(isOther ? 'phase' : 'numbers');
      },
      secret: readSecret,
    };
  }

  #deliver(trigger: TriggerObject, keyOf: KeyOf | undefined): KeptRunning {
    const { clock, random, onChange } = this.#options;
    this.#deliveryState = { phase: 'running', trouble: undefined };
    return new KeptRunning({
      run: (signal) => this.#runDelivery({ trigger, keyOf }, signal),
      onTrouble: (error) => {
        this.#deliveryState =
          error === undefined
            ? { phase: 'running', trouble: undefined }
            : { phase: 'failed', trouble: errorMessage(error) };
        onChange('phase');
      },
      ...{ clock, random },
    });
  }

  async #runDelivery(
    { trigger, keyOf }: { readonly trigger: TriggerObject; readonly keyOf: KeyOf | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, name, uid, openTarget, clock, random, logger } = this.#options;
    const { slots, openQuota } = this.#options;
    const { spec } = trigger;
    const policy = resolveDelivery(spec.delivery);
    const replaces = spec.source.cron?.concurrencyPolicy === 'Replace';
    const target = this.#withReplies(
      trigger,
      openTarget({ namespace, trigger: name, source: spec.source, target: spec.target, policy }),
    );
    const origin = { trigger: `${namespace}/${name}`, destination: formatTarget(spec.target) };
    const replaced = replaces ? createReplacedTarget(target) : undefined;
    const ordered = keyOf === undefined ? {} : { keyOf };
    const delivery = new Delivery({
      ...{ owner: uid, slots, openQuota, clock, random, logger },
      ...(await this.#reading()),
      giveUp: (event) => this.#letters.bury(event, origin),
      watch: this.#watch,
      onAnswered: (durationMs) => {
        this.#options.onAnswered(durationMs);
        this.#options.onChange('numbers');
      },
      target: replaced ?? target,
      policy: replaces ? { ...policy, coalesce: true } : policy,
      // Where the newest event counts, all of them are about the same.
      ...(replaces ? { keyOf: () => 'newest' } : ordered),
    });
    this.#delivery = delivery;
    this.#replace = () => replaced?.replace();
    try {
      await delivery.run(signal);
    } finally {
      this.#counted = addCounts(this.#counted, delivery.counts);
      this.#delivery = undefined;
      this.#replace = undefined;
    }
  }

  /** What is delivered from. */
  async #reading(): Promise<Pick<DeliveryOptions, 'stream' | 'consumer' | 'removes' | 'wants'>> {
    if (this.#feed !== undefined) {
      // As its filters are when an event is read: they may be edited while it is delivered.
      const wants = ({ attributes }: CloudEvent): boolean => {
        const passes = this.#intake.passes(attributes);
        // Nobody brings them here, who would say that there is something new to tell.
        if (passes) this.#options.onChange('numbers');
        return passes;
      };
      return { ...this.#feed, removes: false, wants };
    }
    const stream = this.#stream;
    return { stream, consumer: await stream.consumer('delivery'), removes: true };
  }

  #withReplies({ spec }: TriggerObject, target: EventTarget): EventTarget {
    const { namespace, brokers } = this.#options;
    const { broker } = spec.source;
    if (broker === undefined) return target;
    const key = { namespace, name: broker.name };
    return createReplyingTarget(target, (events) => brokers.accept(key, events));
  }

  /** Without its data; its source has it. */
  async #buryTooLarge({ attributes }: CloudEvent, trouble: string): Promise<void> {
    const { namespace, name, clock, onChange } = this.#options;
    const target = this.#trigger?.spec.target;
    const atMs = clock.now();
    await this.#letters.bury(
      {
        event: { attributes, data: undefined },
        ...{ sequence: 0, identity: `large/${eventIdentity(attributes)}` },
        ...{ reason: 'TooLarge', status: 0, answer: Buffer.from(trouble), attempts: 0 },
        ...{ firstMs: atMs, lastMs: atMs },
      },
      {
        trigger: `${namespace}/${name}`,
        destination: target === undefined ? '' : formatTarget(target),
      },
    );
    onChange('numbers');
  }

  #bury({ spec }: TriggerObject): KeptRunning | undefined {
    const { namespace, name, uid, openTarget, slots, clock, random, logger } = this.#options;
    const policy = resolveDelivery(spec.delivery);
    const { deadLetter } = policy;
    if (deadLetter === undefined) return undefined;
    const single = { ...policy, batch: { size: 1, waitMs: 0 } };
    const { source } = spec;
    const target = openTarget({
      namespace,
      trigger: name,
      source,
      target: deadLetter,
      policy: single,
    });
    const owned = { owner: uid, letters: this.#letters, policy, target, slots };
    const fail = (trouble: string): void => {
      const message = `Cannot send dead letters to ${formatTarget(deadLetter)}: ${trouble}`;
      this.#options.tell({ reason: 'DeadLetterSinkFailed', message });
    };
    const onRefused = ({ status }: GivenUpEvent): void => {
      const found = status === 0 ? 'there was no answer' : `the answer is ${status}`;
      fail(`${found}; they stay with the Trigger`);
    };
    const parts = { ...owned, onRefused, clock, random, logger };
    return new KeptRunning({
      run: async (signal) => (await openDeadLetterSink(parts)).run(signal),
      onTrouble: (error) => {
        if (error !== undefined) fail(errorMessage(error));
      },
      ...{ clock, random },
    });
  }
}

function feedStanding(feed: BrokerFeed | undefined): SourceStanding {
  return feed === undefined
    ? { ...noSource, phase: 'failed', trouble: 'There is no such Broker' }
    : { ...noSource, phase: 'running' };
}

function addCounts(a: DeliveryCounts, b: Readonly<DeliveryCounts> = noCounts()): DeliveryCounts {
  return {
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
    dead: a.dead + b.dead,
    superseded: a.superseded + b.superseded,
    skipped: a.skipped + b.skipped,
    lost: a.lost + b.lost,
  };
}
