/**
 * The events that were read and are not settled: which waits for what, and what of it is in the
 * log. Decides nothing: it is told what events come to.
 *
 * I1. An open event is in exactly one of these: ready in the lanes or behind others there, waiting
 *     for its time, or out.
 * I2. A lane goes on only when what became of its event is durable.
 */
import type { ResolvedDelivery } from '@fnlet/api';
import type { Clock, Logger } from '@fnlet/base';
import type { LogConsumer, LogRecord, LogStream } from '@fnlet/store/log';
import { DueList } from '../due-list.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { DeliveryCounts } from './delivery-counts.ts';
import { EventBodies, type ReadEvent } from './event-bodies.ts';
import { type Lane, Lanes, type Work } from './lanes.ts';
import type { DeliveryLimits } from './limits.ts';
import type { OpenQuota, OpenShare } from './open-quota.ts';
import type { Tries } from './outstanding-state.ts';
import { Settlements } from './settlements.ts';

export interface BacklogParts {
  readonly stream: LogStream;
  readonly consumer: LogConsumer;
  readonly policy: Pick<ResolvedDelivery, 'coalesce'>;
  readonly removes: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: DeliveryLimits;
  /** What bounds open events beside the limits, together with those of others. Default: nothing. */
  readonly openQuota?: OpenQuota | undefined;
  readonly counts: DeliveryCounts;
  /** There is more to do than before. */
  readonly onReady: () => void;
  readonly onBroken: (error: unknown) => void;
}

/** The first event of a lane, or one without a lane, that waits for its time. */
interface Due {
  readonly lane: Lane | undefined;
  readonly sequence: number;
}

interface Tried {
  readonly tries: Tries;
  /** Where it waits for its time. */
  readonly due: Due | undefined;
}

export class Backlog {
  readonly #parts: BacklogParts;
  readonly #lanes: Lanes;
  readonly #bodies: EventBodies;
  readonly #settlements: Settlements;
  readonly #tried = new Map<number, Tried>();
  readonly #due = new DueList<Due>();
  readonly #share: OpenShare | undefined;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
    this.#share = parts.openQuota?.share();
    this.#lanes = new Lanes(parts.policy.coalesce);
    this.#bodies = new EventBodies(parts.stream);
    this.#settlements = new Settlements({ ...parts, onWritten: parts.onReady });
  }

  /** How many events are open. */
  get open(): number {
    return this.#settlements.open;
  }

  /** How many pieces of work are ready at least. */
  get ready(): number {
    return this.#lanes.ready;
  }

  /** Whether what is taken next was tried, and so comes alone. */
  get isNextAlone(): boolean {
    const { first } = this.#lanes;
    return first !== undefined && this.#tried.has(first);
  }

  /** How many open events were tried. */
  get retrying(): number {
    return this.#tried.size;
  }

  /** When the next event becomes ready by itself. */
  get nextMs(): number | undefined {
    return this.#due.nextMs;
  }

  /** Whether more can be read. */
  get hasRoom(): boolean {
    const { readyMax, openMax, retryingMax } = this.#parts.limits;
    if (this.#share?.mayGrow(this.open) === false) return false;
    return this.ready < readyMax && this.open < openMax && this.retrying < retryingMax;
  }

  /** Whether the log keeps up with what events come to. */
  get isWritten(): boolean {
    return this.#settlements.unwritten < this.#parts.limits.unwrittenMax;
  }

  /** Takes over what the log has as open. Comes before all else. */
  async restore(): Promise<void> {
    const nowMs = this.#parts.clock.now();
    for await (const { sequence, key, tries } of this.#settlements.restore()) {
      const heldBack = tries !== undefined && tries.dueMs > nowMs;
      const { lane, superseded } = this.#lanes.add({ sequence, key, heldBack });
      if (superseded !== undefined) this.#supersede(superseded);
      if (tries === undefined) continue;
      const waits = heldBack && (lane === undefined || lane.waiting.first === sequence);
      this.#wait(sequence, { tries, due: waits ? { lane, sequence } : undefined });
    }
  }

  /** An event was read; events are read in order. */
  add(event: ReadEvent | LogRecord, key: string | undefined): void {
    const { sequence } = event;
    const { lane, isReady, superseded } = this.#lanes.add({ sequence, key, heldBack: false });
    this.#settlements.read({ sequence, key: lane?.key });
    if (superseded !== undefined) this.#supersede(superseded);
    // Those behind others may be many: a few of them cost nothing to keep.
    if (isReady || this.#bodies.size < this.#parts.limits.readyMax) this.#bodies.keep(event);
  }

  /** An event was read that is none of the consumer's. */
  skip(sequence: number): void {
    this.#settlements.read({ sequence, key: undefined });
    this.#settlements.skip(sequence);
    this.#parts.counts.skipped++;
  }

  /** Those whose time has come are ready. */
  wake(nowMs: number): void {
    for (const due of this.#due.take(nowMs)) this.#lanes.wake(due);
  }

  /** Takes what is next: new events together, one that was tried alone. */
  take(max: number): readonly Work[] {
    return this.#lanes.take(max, (sequence) => this.#tried.has(sequence));
  }

  /** An event that is in memory; `undefined` for one that has to be read, or is none. */
  takeKept(sequence: number): CloudEvent | undefined {
    return this.#bodies.takeKept(sequence);
  }

  /** What is there of an event. */
  read(sequence: number): Promise<ReadEvent> {
    return this.#bodies.take(sequence);
  }

  triesOf(sequence: number): Tries | undefined {
    return this.#tried.get(sequence)?.tries;
  }

  /** These events are over. Resolves once that is durable. */
  settle(sequences: readonly number[]): Promise<void> {
    let written = Promise.resolve();
    for (const sequence of sequences) {
      this.#tried.delete(sequence);
      written = this.#settlements.settle(sequence);
    }
    return written;
  }

  /** Work that was taken is over. What is returned resolves once its lane goes on. */
  finish(work: Work): Promise<void> | undefined {
    const durable = this.settle(work.sequences);
    if (work.lane === undefined) return undefined;
    return durable.then(() => this.#lanes.done(work));
  }

  /** Work that was taken waits for the time of its next try. */
  retry(work: Work, triesOf: (sequence: number) => Tries): void {
    const { lane, sequences } = work;
    if (this.#isVoid(work, this.#lanes.holdBack(work))) return;
    for (const [place, sequence] of sequences.entries()) {
      const tries = triesOf(sequence);
      const due = lane === undefined || place === 0 ? { lane, sequence } : undefined;
      this.#wait(sequence, { tries, due });
      void this.#settlements.keep(sequence, tries, lane?.key);
    }
  }

  /** Work that was taken has to be tried again, as if it had not been. */
  putBack(work: Work): void {
    this.#isVoid(work, this.#lanes.putBack(work));
  }

  /** Resolves once all of it is durable. */
  async close(): Promise<void> {
    this.#share?.close();
    await this.#settlements.close();
  }

  /** Whether a newer event took the place of the one that comes back. */
  #isVoid({ sequences }: Work, isSuperseded: boolean): boolean {
    if (!isSuperseded) return false;
    for (const sequence of sequences) this.#supersede(sequence);
    return true;
  }

  #supersede(sequence: number): void {
    const tried = this.#tried.get(sequence);
    if (tried?.due !== undefined) this.#due.remove(tried.due, tried.tries.dueMs);
    this.#bodies.drop(sequence);
    void this.settle([sequence]);
    this.#parts.counts.superseded++;
  }

  #wait(sequence: number, tried: Tried): void {
    this.#tried.set(sequence, tried);
    if (tried.due !== undefined) this.#due.add(tried.due, tried.tries.dueMs);
  }
}
