/**
 * What is known of every call without reading it: enough to bound, to order and to list.
 *
 * I1. Every call that is kept has exactly one entry.
 * I2. An entry is open until nothing will happen to it any more; then it is closed, and may be
 *     removed.
 */
import { type Call, laneOf } from './call.ts';
import { type CallState, isFinished } from './call-state.ts';
import type { AsyncLimits } from './limits.ts';

type Summarised =
  | 'id'
  | 'namespace'
  | 'function'
  | 'acceptedMs'
  | 'lifetimeMs'
  | 'attemptsMax'
  | 'callbackUrl'
  | 'keyName';

/** A call without what was sent. */
export type CallSummary = Pick<Call, Summarised>;

export interface Entry {
  readonly call: CallSummary;
  /** `namespace/function` */
  readonly lane: string;
  state: CallState;
  /** What is kept of it. */
  bytes: number;
  /** Whether somebody is changing it just now: nobody else may. */
  held: boolean;
}

/** Why there is no room for a call. */
export type Shortage = 'FunctionQueueFull' | 'QueueFull' | 'StoreFull';

export class CallIndex {
  readonly #limits: AsyncLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #openPerLane = new Map<string, number>();
  /** In the order in which they ended. */
  readonly #closed = new Map<string, Entry>();
  #bytes = 0;
  #closedBytes = 0;

  constructor(limits: AsyncLimits) {
    this.#limits = limits;
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** All entries, those that were accepted first first. */
  values(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /** How many calls are open. */
  get open(): number {
    return this.#entries.size - this.#closed.size;
  }

  /** How many of one Function are open. */
  openOf(lane: string): number {
    return this.#openPerLane.get(lane) ?? 0;
  }

  /** Why a call of this size cannot be taken now. Closed ones can always go. */
  shortage(lane: string, bytes: number): Shortage | undefined {
    const { queuedPerFunctionMax, queuedMax, bytesMax } = this.#limits;
    if (this.openOf(lane) >= queuedPerFunctionMax) return 'FunctionQueueFull';
    if (this.open >= queuedMax) return 'QueueFull';
    return this.#bytes - this.#closedBytes + bytes > bytesMax ? 'StoreFull' : undefined;
  }

  add(call: CallSummary, state: CallState, bytes: number): Entry {
    const { id, namespace, function: name, acceptedMs, lifetimeMs } = call;
    const { attemptsMax, callbackUrl, keyName } = call;
    const where = { id, namespace, function: name, callbackUrl, keyName };
    const summary = { ...where, acceptedMs, lifetimeMs, attemptsMax };
    const entry = { call: summary, lane: laneOf(call), state, bytes, held: false };
    this.#entries.set(id, entry);
    this.#bytes += bytes;
    this.#place(entry);
    return entry;
  }

  /** Takes a new state over. */
  update(entry: Entry, state: CallState, moreBytes = 0): void {
    this.#displace(entry);
    entry.state = state;
    entry.bytes += moreBytes;
    this.#bytes += moreBytes;
    this.#place(entry);
  }

  remove(entry: Entry): void {
    if (!this.#entries.delete(entry.call.id)) return;
    this.#displace(entry);
    this.#bytes -= entry.bytes;
  }

  /** Those that need not, or cannot, be kept any longer. */
  surplus(nowMs: number): readonly Entry[] {
    const { keptMs, finishedMax, bytesMax } = this.#limits;
    const surplus: Entry[] = [];
    let bytes = this.#bytes;
    for (const entry of this.#closed.values()) {
      const tooMany = this.#closed.size - surplus.length > finishedMax || bytes > bytesMax;
      if (!tooMany && !isForgotten(entry.state, nowMs, keptMs)) break;
      if (entry.held) continue;
      surplus.push(entry);
      bytes -= entry.bytes;
    }
    return surplus;
  }

  #place(entry: Entry): void {
    if (isOver(entry.state)) {
      this.#closed.set(entry.call.id, entry);
      this.#closedBytes += entry.bytes;
    } else this.#countOpen(entry.lane, 1);
  }

  #displace(entry: Entry): void {
    if (this.#closed.delete(entry.call.id)) this.#closedBytes -= entry.bytes;
    else this.#countOpen(entry.lane, -1);
  }

  #countOpen(lane: string, change: number): void {
    const count = (this.#openPerLane.get(lane) ?? 0) + change;
    if (count > 0) this.#openPerLane.set(lane, count);
    else this.#openPerLane.delete(lane);
  }
}

/** Whether nothing will happen to it any more, its callback included. */
export function isOver(state: CallState): boolean {
  return isFinished(state) && state.callback?.phase !== 'pending';
}

/** Whether the time is over for which a call is kept. */
export function isForgotten(state: CallState, nowMs: number, keptMs: number): boolean {
  return isOver(state) && nowMs >= (state.finishedMs ?? 0) + keptMs;
}
