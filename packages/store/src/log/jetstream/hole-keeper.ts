import { hasCode } from '@fnlet/base';
import type { LogRecord } from '../log.ts';
import {
  type Amount,
  addAmounts,
  amountOf,
  decodeMessage,
  placeOf,
  recordsOf,
  subtractAmounts,
} from './chain-message.ts';
import type { NatsLink } from './nats-link.ts';
import type { RecordChain } from './record-chain.ts';
import { decodeHoles, encodeHoles, isHole, noHoles, type StreamHoles } from './stream-holes.ts';

export interface KeeperParts {
  readonly link: NatsLink;
  readonly chain: RecordChain;
  /** Where the messages with the records are. */
  readonly records: string;
  /** Where the holes are kept. */
  readonly subject: string;
}

/**
 * Takes records from a stream: in one small message that says which are gone, and then, where a
 * whole message of records is, from the server.
 *
 * I1. Changes happen one after the other, each upon the one before it, whichever process made that.
 * I2. A message of records goes only after the holes say so, and never the last: it tells where the
 *     stream is.
 */
export class HoleKeeper {
  readonly #parts: KeeperParts;
  #holes = noHoles;
  #seq = 0;
  /** Messages before this one are gone from the server. */
  #purged = 1;
  #loaded: Promise<void> | undefined;
  #changing: Promise<void> = Promise.resolve();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  async holes(): Promise<StreamHoles> {
    this.#loaded ??= this.#load();
    await this.#loaded;
    return this.#holes;
  }

  async #load(): Promise<void> {
    const message = await this.#parts.link.last(this.#parts.subject);
    if (message === undefined || message.seq <= this.#seq) return;
    this.#holes = decodeHoles(message.data);
    this.#seq = message.seq;
  }

  /** Takes away all records before this sequence. */
  async trim(before: number): Promise<void> {
    try {
      await this.#planTrim(before);
    } catch (error) {
      if (!hasCode(error, 'Full')) throw error;
      // Without room for the message that says so, the records go first.
      await this.#purge(before);
      await this.#planTrim(before);
    }
    await this.#purge(this.#holes.first);
  }

  /** Drops whole messages before this sequence. */
  async #purge(before: number): Promise<void> {
    const until = Math.min(placeOf(before).seq, this.#parts.chain.keptFrom());
    if (until <= this.#purged) return;
    await this.#parts.link.purge(this.#parts.records, until);
    this.#purged = until;
  }

  async #planTrim(before: number): Promise<void> {
    await this.#change(async (holes) => {
      const tail = await this.#parts.chain.refresh();
      const first = Math.min(before, tail.last + 1);
      if (first <= holes.first) return undefined;
      const appended = await this.#appendedBefore(first);
      const passed = subtractAmounts(appended, holes.before);
      const removed = subtractAmounts(holes.removed, await this.#removedBefore(first, passed));
      const { seq, index } = placeOf(first);
      const places = new Map<number, ReadonlySet<number>>();
      for (const [at, indexes] of holes.places) {
        if (at > seq) places.set(at, indexes);
        if (at === seq) places.set(at, new Set([...indexes].filter((one) => one >= index)));
      }
      return { first, before: appended, removed, places };
    });
  }

  /** Takes away single records; those that are not there are left out. */
  async remove(sequences: readonly number[]): Promise<void> {
    const bySeq = Map.groupBy(new Set(sequences), (sequence) => placeOf(sequence).seq);
    const whole: number[] = [];
    await this.#change(async (holes) => {
      whole.length = 0;
      let { removed } = holes;
      const places = new Map(holes.places);
      const tail = await this.#parts.chain.refresh();
      for (const [seq, wanted] of bySeq) {
        const records = await this.#message(seq);
        const gone = records
          .filter((record) => wanted.includes(record.sequence))
          .filter((record) => !isHole(holes, record.sequence));
        if (gone.length === 0) continue;
        removed = addAmounts(removed, amountOf(gone));
        const indexes = gone.map(({ sequence }) => placeOf(sequence).index);
        const all = new Set([...(places.get(seq) ?? []), ...indexes]);
        const left = records.filter(({ sequence }) => sequence >= holes.first).length - all.size;
        if (left > 0 || seq >= Math.min(tail.seq, this.#parts.chain.keptFrom())) {
          places.set(seq, all);
        } else {
          places.delete(seq);
          whole.push(seq);
        }
      }
      return removed === holes.removed ? undefined : { ...holes, removed, places };
    });
    for (const seq of whole) await this.#parts.link.remove(seq);
  }

  /** Plans upon the newest holes, and again when another process changed them meanwhile. */
  async #change(plan: (holes: StreamHoles) => Promise<StreamHoles | undefined>): Promise<void> {
    const before = this.#changing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changing = promise;
    await before;
    try {
      for (;;) {
        const next = await plan(await this.holes());
        if (next === undefined || (await this.#write(next))) return;
      }
    } finally {
      resolve();
    }
  }

  async #write(holes: StreamHoles): Promise<boolean> {
    const { link, subject } = this.#parts;
    try {
      const options = { expectedLast: this.#seq, replaces: true };
      this.#seq = await link.publish(subject, encodeHoles(holes), options);
      this.#holes = holes;
      return true;
    } catch (error) {
      this.#loaded = undefined;
      if (hasCode(error, 'Conflict')) return false;
      throw error;
    }
  }

  async #message(seq: number): Promise<readonly LogRecord[]> {
    const message = await this.#parts.link.next(this.#parts.records, seq);
    return message?.seq === seq ? recordsOf(seq, decodeMessage(message.data)) : [];
  }

  /** Everything that was appended before this sequence. */
  async #appendedBefore(first: number): Promise<Amount> {
    const { link, records, chain } = this.#parts;
    const message = await link.next(records, placeOf(first).seq);
    if (message === undefined) return (await chain.refresh()).total;
    const content = decodeMessage(message.data);
    const passed = recordsOf(message.seq, content).filter(({ sequence }) => sequence < first);
    return addAmounts(content.before, amountOf(passed));
  }

  /** What of the passed records was taken away before. */
  async #removedBefore(first: number, passed: Amount): Promise<Amount> {
    const holes = this.#holes;
    if (holes.removed.records === 0) return holes.removed;
    let left: Amount = { records: 0, bytes: 0 };
    const { link, records } = this.#parts;
    for (let { seq } = placeOf(holes.first); ; seq++) {
      const message = await link.next(records, seq);
      if (message === undefined || message.seq > placeOf(first).seq) break;
      ({ seq } = message);
      const there = recordsOf(seq, decodeMessage(message.data)).filter(
        ({ sequence }) => sequence < first && !isHole(holes, sequence),
      );
      left = addAmounts(left, amountOf(there));
    }
    return subtractAmounts(passed, left);
  }
}
