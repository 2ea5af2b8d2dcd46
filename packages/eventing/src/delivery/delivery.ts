/**
 * Delivers the events of a stream to a target, as one of its consumers.
 *
 * I1. An event leaves by one of four ways: the target took it, it was given up and is kept as such,
 *     a newer one of its key made it void (coalesce), or the consumer does not want it.
 * I2. Of a key, the next event is sent only when what became of the one before is durable: after a
 *     crash an event may come again, but never after one that follows it. (With coalesce one that
 *     was void may come again; what made it void comes again after it.)
 * I3. Where nothing waits, there is no timer.
 */
import type { ResolvedDelivery } from '@fnlet/api';
import { type Clock, errorMessage, type Logger, type Random, sleep } from '@fnlet/base';
import type { LogConsumer, LogStream } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';
import { Alarm } from './alarm.ts';
import { Backlog } from './backlog.ts';
import {
  type Circuit,
  closedCircuit,
  decideCircuit,
  endProbe,
  mayPass,
  passCircuit,
} from './decide-circuit.ts';
import { decideDelivery, isDelivered, isDown, wishedMs } from './decide-delivery.ts';
import { type DeliveryCounts, noCounts } from './delivery-counts.ts';
import type { ReadEvent } from './event-bodies.ts';
import { EventReader } from './event-reader.ts';
import type { DeliveryAnswer, EventTarget } from './event-target.ts';
import type { GivenUpEvent } from './given-up-event.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { Work } from './lanes.ts';
import { type DeliveryLimits, resolveDeliveryLimits } from './limits.ts';
import type { Tries } from './outstanding-state.ts';
import { RateGate } from './rate-gate.ts';
import { unreadableEvent } from './unreadable-event.ts';

export interface DeliveryOptions {
  /** Whose events these are: the uid of a Trigger. */
  readonly owner: string;
  readonly stream: LogStream;
  readonly consumer: LogConsumer;
  readonly target: EventTarget;
  readonly policy: ResolvedDelivery;
  /** Events with the same key keep their order. Default: there is none. */
  readonly keyOf?: (event: CloudEvent) => string | undefined;
  /** Which events are delivered. Default: all. */
  readonly wants?: (event: CloudEvent) => boolean;
  /** Whether what is settled goes from the stream: it has no other consumers. */
  readonly removes: boolean;
  /** Resolves once the event is kept elsewhere. */
  readonly giveUp: (event: GivenUpEvent) => Promise<void>;
  /**
   * Called with what was delivered before that is settled, such as to keep the event in the answer.
   * When it throws, the delivery has failed and is tried again.
   */
  readonly onDelivered?: (answer: DeliveryAnswer, sequences: readonly number[]) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits?: Partial<DeliveryLimits>;
}

/** How delivery is. */
export interface DeliveryState {
  /** Events that are kept and not settled. */
  readonly lag: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** Events that were tried and are not settled. */
  readonly retrying: number;
  /** Requests that failed since one did not. */
  readonly failures: number;
  /** When the newest event came that was looked at. */
  readonly lastEventMs: number | undefined;
  readonly circuit: 'closed' | 'open' | 'probing';
}

/** Work whose events could be read. */
interface Parcel {
  readonly works: readonly Work[];
  readonly events: ReadonlyMap<number, CloudEvent>;
}

interface Sent {
  readonly answer: DeliveryAnswer;
  readonly sentMs: number;
  /** Of the first event. */
  readonly sequence: number;
}

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #limits: DeliveryLimits;
  readonly #alarm: Alarm;
  readonly #backlog: Backlog;
  readonly #reader: EventReader;
  readonly #gate: RateGate | undefined;
  readonly #counts = noCounts();
  readonly #tasks = new Set<Promise<void>>();
  readonly #cut = new AbortController();
  #circuit: Circuit;
  #inFlight = 0;
  #failures = 0;
  #isPaused = false;
  /** Since when a batch waits for more events. */
  #batchSinceMs: number | undefined;
  #broken: { readonly error: unknown } | undefined;

  constructor(options: DeliveryOptions) {
    const { clock, policy, consumer } = options;
    const limits = resolveDeliveryLimits(options.limits);
    this.#options = options;
    this.#limits = limits;
    this.#alarm = new Alarm(clock);
    this.#circuit = closedCircuit(policy.concurrency);
    this.#gate = policy.rate && new RateGate(policy.rate);
    this.#backlog = new Backlog({
      ...options,
      limits,
      counts: this.#counts,
      onReady: () => this.#alarm.ring(),
      onBroken: (error) => this.#fail(error),
    });
    const backlog = this.#backlog;
    this.#reader = new EventReader({ ...options, limits, backlog, cursor: consumer.cursor });
  }

  /** What became of events since the start. */
  get counts(): Readonly<DeliveryCounts> {
    return this.#counts;
  }

  /** Nothing more is sent, until {@link resume}; what is under way comes to its end. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#alarm.ring();
  }

  async state(): Promise<DeliveryState> {
    const unread = await this.#reader.unread();
    return {
      lag: this.#backlog.open + unread,
      inFlight: this.#inFlight,
      retrying: this.#backlog.retrying,
      failures: this.#failures,
      lastEventMs: this.#reader.lastEventMs,
      circuit: this.#circuit.state,
    };
  }

  /**
   * Delivers until `signal` aborts; then lets what is under way come to its end for `graceMs`. It
   * runs once.
   *
   * @throws what the log threw that does not pass
   */
  async run(signal: AbortSignal): Promise<void> {
    const { stream, clock } = this.#options;
    const unsubscribe = stream.subscribe(() => {
      this.#reader.notice();
      this.#alarm.ring();
    });
    try {
      await this.#backlog.restore();
      while (!signal.aborted && this.#broken === undefined) {
        const nowMs = clock.now();
        this.#backlog.wake(nowMs);
        while (this.#mayBegin(nowMs)) this.#begin(nowMs);
        if (this.#reader.canRead && !this.#isPaused) this.#track(this.#reader.read());
        await this.#alarm.rest(this.#nextMs(nowMs), signal);
      }
    } finally {
      unsubscribe();
      await this.#stop();
    }
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  #mayBegin(nowMs: number): boolean {
    const isFree = !this.#isPaused && this.#broken === undefined;
    if (!isFree || this.#backlog.ready === 0 || !this.#backlog.isWritten) return false;
    return this.#startsMs(nowMs) <= nowMs && mayPass(this.#circuit, this.#inFlight, nowMs);
  }

  /** When what is ready may begin, as far as that is a matter of time. */
  #startsMs(nowMs: number): number {
    const { size, waitMs } = this.#options.policy.batch;
    const gateMs = this.#gate?.opensMs ?? nowMs;
    const probeMs = this.#circuit.state === 'open' ? this.#circuit.probeMs : nowMs;
    let batchMs = nowMs;
    if (waitMs > 0 && this.#backlog.ready < size) {
      this.#batchSinceMs ??= nowMs;
      batchMs = this.#batchSinceMs + waitMs;
    }
    return Math.max(nowMs, gateMs, probeMs, batchMs);
  }

  /** When there is something to do if nothing happens before. */
  #nextMs(nowMs: number): number | undefined {
    const { nextMs } = this.#backlog;
    const startsMs = this.#backlog.ready === 0 || this.#isPaused ? nowMs : this.#startsMs(nowMs);
    if (startsMs <= nowMs) return nextMs;
    return nextMs === undefined ? startsMs : Math.min(nextMs, startsMs);
  }

  #begin(nowMs: number): void {
    const size = this.#circuit.state === 'closed' ? this.#options.policy.batch.size : 1;
    const works = this.#backlog.take(size);
    this.#circuit = passCircuit(this.#circuit, works[0]?.sequences[0] ?? 0);
    this.#gate?.pass(nowMs);
    this.#batchSinceMs = undefined;
    this.#inFlight++;
    this.#track(this.#deliver(works).finally(() => this.#inFlight--));
  }

  async #deliver(works: readonly Work[]): Promise<void> {
    const parcel = await this.#read(works);
    const sequence = parcel.works[0]?.sequences[0];
    if (sequence === undefined) {
      this.#circuit = endProbe(this.#circuit, works[0]?.sequences[0] ?? 0);
      return;
    }
    const sentMs = this.#options.clock.now();
    const answer = await this.#send(parcel, sequence);
    // Nobody knows what became of it: it is sent again after the next start.
    if (this.#cut.signal.aborted) return;
    await this.#conclude(parcel, { answer, sentMs, sequence });
  }

  /** What is no event is given up without a try; what the stream let go is settled. */
  async #read(works: readonly Work[]): Promise<Parcel> {
    const events = new Map<number, CloudEvent>();
    const left: Work[] = [];
    for (const { lane, sequences } of works) {
      for (const sequence of sequences) {
        const read = await this.#backlog.read(sequence);
        if (read.kind === 'event') events.set(sequence, read.event);
        else await this.#passOver(read);
      }
      const gone = sequences.filter((sequence) => !events.has(sequence));
      if (gone.length === sequences.length) await this.#backlog.finish({ lane, sequences });
      else left.push({ lane, sequences: sequences.filter((sequence) => events.has(sequence)) });
      if (gone.length < sequences.length) void this.#backlog.settle(gone);
    }
    return { works: left, events };
  }

  async #passOver(read: Exclude<ReadEvent, { readonly kind: 'event' }>): Promise<void> {
    const { owner, clock, logger } = this.#options;
    const { sequence } = read;
    if (read.kind === 'gone') {
      this.#counts.lost++;
      logger.warn('An event is gone that was not delivered', { owner, sequence });
      return;
    }
    const atMs = clock.now();
    await this.#giveUp({
      event: unreadableEvent(owner, read),
      sequence,
      reason: 'Unreadable',
      status: 0,
      answer: Buffer.from(read.trouble),
      attempts: 0,
      firstMs: atMs,
      lastMs: atMs,
    });
  }

  async #send({ events }: Parcel, sequence: number): Promise<DeliveryAnswer> {
    const { owner, target, onDelivered } = this.#options;
    const sent = [...events.values()];
    const attempt = (this.#backlog.triesOf(sequence)?.attempts ?? 0) + 1;
    const attempted = { events: sent, attempt, idempotencyKey: idempotencyKey(owner, sent) };
    const answer = await target.deliver(attempted, this.#cut.signal);
    if (onDelivered === undefined || !isDelivered(answer)) return answer;
    try {
      await onDelivered(answer, [...events.keys()]);
      return answer;
    } catch (error) {
      const trouble = `What the target answered was not taken: ${errorMessage(error)}`;
      return { status: 500, headers: {}, body: new Uint8Array(), trouble };
    }
  }

  async #conclude(parcel: Parcel, sent: Sent): Promise<void> {
    const { policy, clock, random } = this.#options;
    const { answer, sequence } = sent;
    const nowMs = clock.now();
    const wasClosed = this.#circuit.state === 'closed';
    const finding = { sequence, isDown: isDown(answer), wishedMs: wishedMs(answer, policy, nowMs) };
    const context = { windowMax: policy.concurrency, nowMs, random, limits: this.#limits };
    this.#circuit = decideCircuit(this.#circuit, finding, context);
    if (isDelivered(answer)) {
      this.#failures = 0;
      this.#counts.delivered += parcel.events.size;
      for (const work of parcel.works) this.#track(this.#backlog.finish(work));
      return;
    }
    this.#failures++;
    this.#counts.failed++;
    // While nobody is there, tries are not used up.
    if (finding.isDown && !wasClosed) for (const work of parcel.works) this.#backlog.putBack(work);
    else await this.#decide(parcel, sent, nowMs);
  }

  /** What failed events come to. Of several that failed together, each is tried alone. */
  async #decide({ works, events }: Parcel, sent: Sent, nowMs: number): Promise<void> {
    const { policy, random } = this.#options;
    const { answer } = sent;
    const attempts = (this.#backlog.triesOf(sent.sequence)?.attempts ?? 0) + 1;
    const decision = decideDelivery(answer, { attempts, policy, nowMs, random });
    const event = events.get(sent.sequence);
    if (decision.kind === 'dead' && events.size === 1 && event !== undefined) {
      const isKept = await this.#giveUp({
        event,
        sequence: sent.sequence,
        reason: decision.reason,
        status: answer.status,
        answer: answer.trouble === undefined ? answer.body : Buffer.from(answer.trouble),
        attempts,
        firstMs: this.#backlog.triesOf(sent.sequence)?.firstMs ?? sent.sentMs,
        lastMs: sent.sentMs,
      });
      if (isKept) for (const work of works) this.#track(this.#backlog.finish(work));
      return;
    }
    const dueMs = decision.kind === 'retry' ? decision.dueMs : nowMs;
    for (const work of works) {
      this.#backlog.retry(work, (sequence): Tries => {
        const { firstMs = sent.sentMs } = this.#backlog.triesOf(sequence) ?? {};
        return { attempts, status: answer.status, firstMs, dueMs };
      });
    }
  }

  /** Goes on until it is kept; `false` when this is to end before. */
  async #giveUp(event: GivenUpEvent): Promise<boolean> {
    const { owner, giveUp, clock, logger } = this.#options;
    while (true) {
      try {
        await giveUp(event);
        this.#counts.dead++;
        return true;
      } catch (error) {
        logger.warn('Cannot keep a dead letter', { owner, error: errorMessage(error) });
      }
      if (!(await sleep(clock, this.#limits.storeRetryMs, this.#cut.signal))) return false;
    }
  }

  #track(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#tasks.delete(task);
        this.#alarm.ring();
      });
    this.#tasks.add(task);
  }

  #fail(error: unknown): void {
    this.#broken ??= { error };
    this.#alarm.ring();
  }

  async #stop(): Promise<void> {
    const { clock } = this.#options;
    const ended = new AbortController();
    const grace = sleep(clock, this.#limits.graceMs, ended.signal);
    await Promise.race([Promise.all(this.#tasks), grace]);
    ended.abort();
    this.#cut.abort();
    await Promise.all(this.#tasks);
    await this.#backlog.close().catch((error: unknown) => this.#fail(error));
  }
}
