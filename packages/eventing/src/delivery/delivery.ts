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
import { errorMessage, sleep } from '@fnlet/base';
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
import type { DeliveryOptions } from './delivery-options.ts';
import { type DeliverySlots, type SlotUser, unboundedSlots } from './delivery-slots.ts';
import type { DeliveryState } from './delivery-state.ts';
import { describeFailure } from './describe-failure.ts';
import type { ReadEvent } from './event-bodies.ts';
import { EventReader } from './event-reader.ts';
import type { DeliveryAnswer } from './event-target.ts';
import type { GivenUpEvent } from './given-up-event.ts';
import { idempotencyKey } from './idempotency-key.ts';
import type { Work } from './lanes.ts';
import { type DeliveryLimits, resolveDeliveryLimits } from './limits.ts';
import type { Tries } from './outstanding-state.ts';
import { type Parcel, parcelBytes } from './parcel.ts';
import { RateGate } from './rate-gate.ts';
import { unreadableEvent } from './unreadable-event.ts';

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
  readonly #slots: DeliverySlots;
  readonly #slot: SlotUser;
  readonly #counts = noCounts();
  readonly #cut = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  /** What is under way, requests and all else. */
  #tasks = 0;
  #onLastTask: (() => void) | undefined;
  #isOpen = false;
  #circuit: Circuit;
  #failures = 0;
  #lastFailure: string | undefined;
  #lastDeliveryMs: number | undefined;
  #isPaused = false;
  /** Whether it has read in this turn of the event loop. */
  #hasRead = false;
  /** Since when a batch waits for more events. */
  #batchSinceMs: number | undefined;
  #broken: { readonly error: unknown } | undefined;

  constructor(options: DeliveryOptions) {
    const { clock, policy, consumer } = options;
    const limits = resolveDeliveryLimits(options.limits);
    this.#options = options;
    this.#limits = limits;
    this.#alarm = new Alarm(clock, () => this.#pump());
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
    const { slots = unboundedSlots() } = options;
    this.#slots = slots;
    this.#slot = slots.open(() => this.#onTurn());
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
      inFlight: this.#slot.inFlight,
      retrying: this.#backlog.retrying,
      failures: this.#failures,
      lastFailure: this.#lastFailure,
      lastEventMs: this.#reader.lastEventMs,
      lastDeliveryMs: this.#lastDeliveryMs,
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
    const unsubscribe = this.#options.stream.subscribe(() => {
      this.#reader.notice();
      this.#alarm.ring();
    });
    const end = (): void => {
      this.#isOpen = false;
      this.#ended.resolve();
    };
    signal.addEventListener('abort', end);
    try {
      await this.#backlog.restore();
      this.#isOpen = !signal.aborted;
      this.#pump();
      if (this.#isOpen) await this.#ended.promise;
    } finally {
      end();
      signal.removeEventListener('abort', end);
      unsubscribe();
      await this.#stop();
    }
    if (this.#broken !== undefined) throw this.#broken.error;
  }

  /** Does all that can be done now. */
  #pump(): void {
    if (!this.#isOpen) return;
    try {
      const nowMs = this.#options.clock.now();
      this.#backlog.wake(nowMs);
      while (this.#mayBegin(nowMs) && this.#slot.take()) this.#begin(nowMs);
      this.#readOn();
      this.#alarm.ringAt(this.#nextMs(nowMs));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** It may begin one that it could not before, since others had too many under way. */
  #onTurn(): boolean {
    const nowMs = this.#options.clock.now();
    if (!this.#mayBegin(nowMs) || !this.#slot.take()) return false;
    this.#begin(nowMs);
    this.#readOn();
    if (this.#mayBegin(nowMs)) return true;
    // It may be a matter of time now, and what is under way may take long.
    this.#alarm.ringAt(this.#nextMs(nowMs));
    return false;
  }

  /**
   * Once a turn: a key that fails may have a hundred thousand events behind it, and to read them in
   * one go would hold up everybody for seconds, and the garbage collector, too.
   */
  #readOn(): void {
    if (this.#isPaused || this.#hasRead || !this.#reader.canRead) return;
    this.#hasRead = true;
    this.#slots.nextTurn(this.#onNextTurn);
    this.#tasks++;
    this.#reader.read().then(this.#onTask, this.#onFailedTask);
  }

  #mayBegin(nowMs: number): boolean {
    if (!this.#isOpen || this.#isPaused) return false;
    if (this.#backlog.ready === 0 || !this.#backlog.isWritten) return false;
    return mayPass(this.#circuit, this.#slot.inFlight, nowMs) && this.#startsMs(nowMs) <= nowMs;
  }

  /** When what is ready may begin, as far as that is a matter of time. */
  #startsMs(nowMs: number): number {
    const { size, waitMs } = this.#options.policy.batch;
    const gateMs = this.#gate?.opensMs ?? nowMs;
    const probeMs = this.#circuit.state === 'open' ? this.#circuit.probeMs : nowMs;
    let batchMs = nowMs;
    // What goes alone waits for no others.
    if (waitMs > 0 && this.#backlog.ready < size && !this.#backlog.isNextAlone) {
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
    this.#tasks++;
    this.#deliver(works).then(this.#onTask, this.#onFailedTask);
  }

  async #deliver(works: readonly Work[]): Promise<void> {
    let bytes = 0;
    try {
      const parcel = this.#keptParcel(works) ?? (await this.#read(works));
      const sequence = parcel.works[0]?.sequences[0];
      if (sequence === undefined) {
        this.#circuit = endProbe(this.#circuit, works[0]?.sequences[0] ?? 0);
        return;
      }
      bytes = parcelBytes(parcel);
      this.#slot.hold(bytes);
      const { clock, onAnswered } = this.#options;
      const sentMs = clock.now();
      const fromMs = clock.monotonicMs();
      const answer = await this.#send(parcel, sequence);
      onAnswered?.(clock.monotonicMs() - fromMs);
      // Nobody knows what became of it: it is sent again after the next start.
      if (this.#cut.signal.aborted) return;
      await this.#conclude(parcel, { answer, sentMs, sequence });
    } finally {
      this.#slot.give(bytes);
    }
  }

  /** Without a wait, which most need not: the body of a single event that is in memory. */
  #keptParcel(works: readonly Work[]): Parcel | undefined {
    const work = works[0];
    if (work === undefined || works.length > 1 || work.sequences.length > 1) return undefined;
    const sequence = work.sequences[0] ?? 0;
    const read = this.#backlog.takeKept(sequence);
    return read && { works, sequences: work.sequences, events: [read] };
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
    return { works: left, sequences: [...events.keys()], events: [...events.values()] };
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

  #send({ sequences, events }: Parcel, sequence: number): Promise<DeliveryAnswer> {
    const { owner, target, onDelivered } = this.#options;
    const attempt = (this.#backlog.triesOf(sequence)?.attempts ?? 0) + 1;
    const attempted = { events, attempt, idempotencyKey: idempotencyKey(owner, events) };
    const answering = target.deliver(attempted, this.#cut.signal);
    if (onDelivered === undefined) return answering;
    return answering.then((answer) => this.#keepAnswer(answer, sequences, onDelivered));
  }

  async #keepAnswer(
    answer: DeliveryAnswer,
    sequences: readonly number[],
    keep: NonNullable<DeliveryOptions['onDelivered']>,
  ): Promise<DeliveryAnswer> {
    if (!isDelivered(answer)) return answer;
    try {
      await keep(answer, sequences);
      return answer;
    } catch (error) {
      const trouble = `What the target answered was not taken: ${errorMessage(error)}`;
      return { status: 500, headers: {}, body: new Uint8Array(), trouble };
    }
  }

  /** What follows from an answer; what is returned is to be waited for. */
  #conclude(parcel: Parcel, sent: Sent): Promise<void> | undefined {
    const { policy, clock, random } = this.#options;
    const { answer, sequence } = sent;
    const nowMs = clock.now();
    if (answer.isReplaced === true) return this.#awaitNewer(parcel, sequence, nowMs);
    const wasClosed = this.#circuit.state === 'closed';
    const finding = { sequence, isDown: isDown(answer), wishedMs: wishedMs(answer, policy, nowMs) };
    const context = { windowMax: policy.concurrency, nowMs, random, limits: this.#limits };
    this.#circuit = decideCircuit(this.#circuit, finding, context);
    if (isDelivered(answer)) {
      this.#failures = 0;
      this.#lastFailure = undefined;
      this.#lastDeliveryMs = nowMs;
      this.#counts.delivered += parcel.events.length;
      this.#tell('delivered', parcel, answer.status);
      for (const work of parcel.works) this.#finish(work);
      return undefined;
    }
    this.#failures++;
    this.#lastFailure = describeFailure(answer);
    this.#counts.failed++;
    this.#tell('failed', parcel, answer.status);
    // While nobody is there, tries are not used up.
    if (!finding.isDown || wasClosed) return this.#decide(parcel, sent, nowMs);
    for (const work of parcel.works) this.#backlog.putBack(work);
    return undefined;
  }

  /**
   * Its request was given up for a newer event of its key, which takes its place once it is read.
   * That says nothing of the target, and is no try.
   */
  #awaitNewer({ works }: Parcel, sequence: number, nowMs: number): undefined {
    this.#circuit = endProbe(this.#circuit, sequence);
    const dueMs = nowMs + this.#limits.replacedMs;
    for (const work of works) {
      this.#backlog.retry(work, (each): Tries => {
        const { attempts = 0, status = 0, firstMs = nowMs } = this.#backlog.triesOf(each) ?? {};
        return { attempts, status, firstMs, dueMs };
      });
    }
  }

  /** What failed events come to. Of several that failed together, each is tried alone. */
  async #decide({ works, sequences, events }: Parcel, sent: Sent, nowMs: number): Promise<void> {
    const { policy, random } = this.#options;
    const { answer } = sent;
    const attempts = (this.#backlog.triesOf(sent.sequence)?.attempts ?? 0) + 1;
    const decision = decideDelivery(answer, { attempts, policy, nowMs, random });
    const event = events[sequences.indexOf(sent.sequence)];
    if (decision.kind === 'dead' && events.length === 1 && event !== undefined) {
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
      if (isKept) for (const work of works) this.#finish(work);
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

  #tell(outcome: 'delivered' | 'failed', { events }: Parcel, code: number): void {
    const { watch } = this.#options;
    if (watch !== undefined) for (const event of events) watch(outcome, event, code);
  }

  /** Goes on until it is kept; `false` when this is to end before. */
  async #giveUp(event: GivenUpEvent): Promise<boolean> {
    const { owner, giveUp, clock, logger } = this.#options;
    while (true) {
      try {
        await giveUp(event);
        this.#counts.dead++;
        this.#options.watch?.('dead', event.event, event.status);
        return true;
      } catch (error) {
        logger.warn('Cannot keep a dead letter', { owner, error: errorMessage(error) });
      }
      if (!(await sleep(clock, this.#limits.storeRetryMs, this.#cut.signal))) return false;
    }
  }

  #finish(work: Work): void {
    const finishing = this.#backlog.finish(work);
    if (finishing === undefined) return;
    this.#tasks++;
    finishing.then(this.#onTask, this.#onFailedTask);
  }

  readonly #onNextTurn = (): void => {
    this.#hasRead = false;
    if (this.#reader.canRead) this.#alarm.ring();
  };

  readonly #onTask = (): void => {
    this.#tasks--;
    if (this.#tasks === 0) this.#onLastTask?.();
    this.#alarm.ring();
  };

  readonly #onFailedTask = (error: unknown): void => {
    this.#fail(error);
    this.#onTask();
  };

  #fail(error: unknown): void {
    this.#broken ??= { error };
    this.#isOpen = false;
    this.#ended.resolve();
  }

  async #stop(): Promise<void> {
    const { clock } = this.#options;
    this.#alarm.stop();
    this.#slot.close();
    const ended = new AbortController();
    const grace = sleep(clock, this.#limits.graceMs, ended.signal);
    await Promise.race([this.#lastTask(), grace]);
    ended.abort();
    this.#cut.abort();
    await this.#lastTask();
    await this.#backlog.close().catch((error: unknown) => this.#fail(error));
  }

  /** Resolves once nothing is under way. */
  #lastTask(): Promise<void> {
    if (this.#tasks === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onLastTask = resolve;
    });
  }
}
