/**
 * What waits to be delivered: events with the same key in a lane of their own, others beside each
 * other. Only their sequences are here; what else is known of an event is elsewhere.
 *
 * I1. Of a lane, one piece of work is out at most, and what is in it comes before the rest.
 * I2. A lane that is held back (its first event waits for its next try) keeps back nobody else.
 * I3. Who is ready is served in the order in which it became so; what comes back goes to the end.
 * I4. A lane with nothing in it is forgotten.
 */
import { SequenceQueue } from './sequence-queue.ts';

export interface Lane {
  readonly key: string;
  readonly waiting: SequenceQueue;
  state: 'ready' | 'out' | 'heldBack';
}

/** Events that are delivered together: all of one lane, or one without a lane. */
export interface Work {
  readonly lane: Lane | undefined;
  readonly sequences: readonly number[];
}

/** Where an event went that was added. */
export interface Placed {
  readonly lane: Lane | undefined;
  readonly isReady: boolean;
  /** The event that waited and is not wanted any more, now that this one is there. */
  readonly superseded: number | undefined;
}

export class Lanes {
  /** Whether only the newest event of a lane is kept, of those that wait. */
  readonly #coalesces: boolean;
  readonly #lanes = new Map<string, Lane>();
  readonly #ready: (number | Lane)[] = [];
  #head = 0;

  constructor(coalesces: boolean) {
    this.#coalesces = coalesces;
  }

  /** How many pieces of work could be taken at least. */
  get ready(): number {
    return this.#ready.length - this.#head;
  }

  /** The event that is taken next. */
  get first(): number | undefined {
    const next = this.#ready[this.#head];
    return typeof next === 'object' ? next.waiting.first : next;
  }

  /** How many lanes there are. */
  get size(): number {
    return this.#lanes.size;
  }

  /** @param event.heldBack whether it waits for its time, then {@link wake} has to be called */
  add(event: {
    readonly sequence: number;
    readonly key: string | undefined;
    readonly heldBack: boolean;
  }): Placed {
    const { sequence, key, heldBack } = event;
    if (key === undefined) {
      if (!heldBack) this.#ready.push(sequence);
      return { lane: undefined, isReady: !heldBack, superseded: undefined };
    }
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, waiting: new SequenceQueue(), state: heldBack ? 'heldBack' : 'ready' };
      this.#lanes.set(key, lane);
      if (!heldBack) this.#ready.push(lane);
    }
    const superseded = this.#coalesces ? lane.waiting.shift() : undefined;
    lane.waiting.push(sequence);
    // The time that it waited for was that of the event that is gone.
    if (superseded !== undefined && !heldBack && lane.state === 'heldBack') this.#makeReady(lane);
    return { lane, isReady: lane.state === 'ready' && lane.waiting.size === 1, superseded };
  }

  /**
   * Takes what is next; it is out until {@link done}, {@link holdBack} or {@link putBack}.
   *
   * @param max how many events at most; one that `isAlone` comes without others
   */
  take(max: number, isAlone: (sequence: number) => boolean): readonly Work[] {
    const works: Work[] = [];
    let left = max;
    while (left > 0) {
      const next = this.#ready[this.#head];
      const { first } = this;
      if (next === undefined || first === undefined) break;
      const alone = isAlone(first);
      if (alone && works.length > 0) break;
      this.#takeReady();
      const work =
        typeof next === 'number'
          ? { lane: undefined, sequences: [next] }
          : { lane: next, sequences: takeOfLane(next, alone ? 1 : left, isAlone) };
      works.push(work);
      left = alone ? 0 : left - work.sequences.length;
    }
    return works;
  }

  /** It is over. */
  done({ lane }: Work): void {
    if (lane === undefined) return;
    if (lane.waiting.size === 0) this.#lanes.delete(lane.key);
    else this.#makeReady(lane);
  }

  /** It waits for its time. Whether a newer event took its place instead. */
  holdBack(work: Work): boolean {
    return this.#return(work, 'heldBack');
  }

  /** It goes after all others that are ready. Whether a newer event took its place instead. */
  putBack(work: Work): boolean {
    return this.#return(work, 'ready');
  }

  /** Its time has come: of what was held back, or would have been but for a newer event. */
  wake({ lane, sequence }: { readonly lane: Lane | undefined; readonly sequence: number }): void {
    if (lane === undefined) this.#ready.push(sequence);
    else if (lane.state === 'heldBack' && lane.waiting.first === sequence) this.#makeReady(lane);
  }

  #return({ lane, sequences }: Work, to: 'ready' | 'heldBack'): boolean {
    if (lane === undefined) {
      if (to === 'ready') this.#ready.push(...sequences);
      return false;
    }
    const isSuperseded = this.#coalesces && lane.waiting.size > 0;
    if (!isSuperseded) lane.waiting.unshift(sequences);
    if (isSuperseded || to === 'ready') this.#makeReady(lane);
    else lane.state = to;
    return isSuperseded;
  }

  #takeReady(): void {
    this.#head++;
    if (this.#head > 64 && this.#head * 2 > this.#ready.length) {
      this.#ready.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #makeReady(lane: Lane): void {
    lane.state = 'ready';
    this.#ready.push(lane);
  }
}

function takeOfLane(
  lane: Lane,
  max: number,
  isAlone: (sequence: number) => boolean,
): readonly number[] {
  lane.state = 'out';
  const sequences: number[] = [];
  for (let first = lane.waiting.first; first !== undefined; first = lane.waiting.first) {
    if (sequences.length >= max || (sequences.length > 0 && isAlone(first))) break;
    sequences.push(first);
    lane.waiting.shift();
  }
  return sequences;
}
