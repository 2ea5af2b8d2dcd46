/**
 * The dead letters of one Trigger, in a stream of their own. They stay until they are replayed,
 * dropped, or taken by the sink that the Trigger names.
 *
 * I1. A letter that is replayed goes only when whoever takes the event has it durably.
 */
import { type Clock, sleep } from '@fnlet/base';
import type { Log, LogRecord, LogStream } from '@fnlet/store/log';
import type { GivenUpEvent } from '../delivery/given-up-event.ts';
import { RateGate } from '../delivery/rate-gate.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { packEvent, unpackEvent } from '../event/packed-event.ts';
import {
  type DeadLetterCause,
  type DeadLetterOrigin,
  deadLetterEvent,
  readCause,
  replayedEvent,
} from './dead-letter.ts';
import { type LetterFilter, matchesFilter } from './letter-filter.ts';
import { limits } from './limits.ts';

/** A dead letter, as it is shown. */
export interface DeadLetter {
  /** Names it among those of its Trigger. */
  readonly number: number;
  /** When it was given up. */
  readonly timeMs: number;
  /** With its cause as attributes. */
  readonly event: CloudEvent;
  readonly cause: DeadLetterCause;
}

export interface LetterPage {
  readonly letters: readonly DeadLetter[];
  /** Where the next page begins; `undefined` after the last. */
  readonly next: number | undefined;
}

export interface ReplayOptions {
  /** Resolves once the events are kept, or delivered; rejects when none of them is. */
  readonly accept: (events: readonly CloudEvent[]) => Promise<void>;
  /** Whether each is handed over by itself. Default: many together. */
  readonly isEach?: boolean;
  /** How many events a second. Default: as fast as they are taken. */
  readonly perSecond?: number;
  readonly signal?: AbortSignal;
}

/** The stream that holds the dead letters of a Trigger. */
export function deadLetterStream(uid: string): string {
  return `dead/${uid}`;
}

export class DeadLetters {
  readonly stream: LogStream;
  readonly #clock: Clock;

  private constructor(stream: LogStream, clock: Clock) {
    this.stream = stream;
    this.#clock = clock;
  }

  /** Those of the Trigger with this uid. */
  static async open(log: Log, uid: string, clock: Clock): Promise<DeadLetters> {
    const { dedupeMs } = limits;
    return new DeadLetters(await log.stream(deadLetterStream(uid), { dedupeMs }), clock);
  }

  async count(): Promise<number> {
    return (await this.stream.size()).records;
  }

  /** Keeps an event that was given up. Resolves once that is durable. */
  async bury(givenUp: GivenUpEvent, origin: DeadLetterOrigin): Promise<void> {
    const payload = packEvent(deadLetterEvent(givenUp, origin));
    const { sequence, identity = String(sequence) } = givenUp;
    await this.stream.append([{ id: identity, payload }]);
  }

  /** Letters in the order in which they were given up, from one number on. */
  async list(
    filter: LetterFilter,
    { from = 0, limit }: { readonly from?: number; readonly limit: number },
  ): Promise<LetterPage> {
    const letters: DeadLetter[] = [];
    for await (const step of this.#steps(filter, from)) {
      for (const letter of step) {
        if (letters.length === limit) return { letters, next: letter.number };
        letters.push(letter);
      }
    }
    return { letters, next: undefined };
  }

  /** The letter of this number; `undefined` when it is not there, or not any more. */
  async get(number: number): Promise<DeadLetter | undefined> {
    const [record] = await this.stream.read(number, { limit: 1 });
    return record?.sequence === number ? readLetter(record) : undefined;
  }

  /**
   * Hands the events of these letters to whoever takes them; how many. Those that come are left,
   * and those whose data was too large to be kept: without it they are not what they were.
   */
  async replay(filter: LetterFilter, options: ReplayOptions): Promise<number> {
    const { accept, isEach = false, perSecond, signal } = options;
    const gate = perSecond === undefined ? undefined : new RateGate({ perSecond, burst: 1 });
    const together = isEach || perSecond !== undefined ? 1 : limits.replayEventsMax;
    let count = 0;
    for await (const found of this.#steps(filter, 0)) {
      const step = found.filter(({ cause }) => cause.reason !== 'TooLarge');
      for (let start = 0; start < step.length; start += together) {
        if (!(await this.#mayGoOn(gate, signal))) return count;
        const letters = step.slice(start, start + together);
        await accept(letters.map(({ event }) => replayedEvent(event)));
        await this.stream.remove(letters.map(({ number }) => number));
        count += letters.length;
      }
    }
    return count;
  }

  /** Forgets these letters; how many. */
  async drop(filter: LetterFilter): Promise<number> {
    let count = 0;
    for await (const step of this.#steps(filter, 0)) {
      await this.stream.remove(step.map(({ number }) => number));
      count += step.length;
    }
    return count;
  }

  async #mayGoOn(gate: RateGate | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted === true) return false;
    if (gate === undefined) return true;
    const waitMs = gate.opensMs - this.#clock.now();
    if (waitMs > 0 && !(await sleep(this.#clock, waitMs, signal))) return false;
    gate.pass(this.#clock.now());
    return true;
  }

  /** Those that are there now, in bounded steps. */
  async *#steps(
    filter: LetterFilter,
    from: number,
  ): AsyncGenerator<readonly DeadLetter[], void, undefined> {
    const { stepRecords: limit, stepBytes: maxBytes } = limits;
    const { last } = await this.stream.size();
    for (let next = from; next <= last; ) {
      const records = await this.stream.read(next, { limit, maxBytes });
      const end = records.at(-1);
      if (end === undefined) return;
      next = end.sequence + 1;
      const known = records.filter(({ sequence }) => sequence <= last).map(readLetter);
      yield known.filter((letter) => matchesFilter(filter, letter));
    }
  }
}

function readLetter({ sequence, timeMs, payload }: LogRecord): DeadLetter {
  const event = unpackEvent(payload);
  return { number: sequence, timeMs, event, cause: readCause(event) };
}
