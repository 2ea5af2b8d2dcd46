/**
 * What waits to be done, in lanes that take turns: one lane is one Function, or one server that is
 * called back.
 *
 * I1. Within a lane the order is that of `add`; between lanes, each that has work and room is taken
 *     from once before one is taken from twice.
 * I2. At most `window` of a lane are in progress, none while it is paused.
 * I3. A lane that has neither work nor work in progress, and is not paused, is forgotten, and with
 *     it what was learnt about it.
 */

/** How a piece of work went: `missed` says that whoever was to do it could not be reached. */
export type WorkResult = 'well' | 'badly' | 'missed';

interface Lane {
  readonly key: string;
  /** Insertion order is the order of the work. */
  readonly waiting: Set<string>;
  inProgress: number;
  window: number;
  paused: boolean;
  /** How often in a row it was paused. */
  misses: number;
}

export class FairLanes {
  readonly #windowMax: number;
  readonly #lanes = new Map<string, Lane>();
  /** Those with work and room, in the order of their turns. */
  readonly #ready = new Map<string, Lane>();

  constructor(windowMax: number) {
    this.#windowMax = windowMax;
  }

  /** How many lanes there are. */
  get size(): number {
    return this.#lanes.size;
  }

  add(key: string, id: string): void {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      const window = firstWindow(this.#windowMax);
      const counts = { inProgress: 0, paused: false, misses: 0 };
      lane = { key, waiting: new Set(), window, ...counts };
      this.#lanes.set(key, lane);
    }
    lane.waiting.add(id);
    this.#settle(lane);
  }

  /** Takes out what waits; whether it did. */
  remove(key: string, id: string): boolean {
    const lane = this.#lanes.get(key);
    if (lane?.waiting.delete(id) !== true) return false;
    this.#settle(lane);
    return true;
  }

  /** The next that is to be done; it is in progress until `done`. */
  take(): { readonly key: string; readonly id: string } | undefined {
    for (const [key, lane] of this.#ready) {
      const [id] = lane.waiting;
      this.#ready.delete(key);
      if (id === undefined) continue;
      lane.waiting.delete(id);
      lane.inProgress++;
      this.#settle(lane);
      return { key, id };
    }
    return undefined;
  }

  /**
   * It is over. When it missed, its lane is paused: what waits there would miss, too. Returns how
   * often in a row that happened; 0 when the lane goes on, or is paused already.
   */
  done(key: string, result: WorkResult): number {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return 0;
    const pauses = result === 'missed' && !lane.paused;
    lane.inProgress--;
    lane.window = nextWindow(lane.window, result, this.#windowMax);
    if (pauses) {
      lane.paused = true;
      lane.misses++;
    } else if (result !== 'missed') lane.misses = 0;
    this.#settle(lane);
    return pauses ? lane.misses : 0;
  }

  /** A paused lane goes on, with one piece of work at first. */
  resume(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.paused = false;
    this.#settle(lane);
  }

  #settle(lane: Lane): void {
    const { key, waiting, inProgress, window, paused } = lane;
    if (waiting.size === 0 || inProgress >= window || paused) this.#ready.delete(key);
    else this.#ready.set(key, lane);
    if (waiting.size === 0 && inProgress === 0 && !paused) this.#lanes.delete(key);
  }
}

function firstWindow(windowMax: number): number {
  return Math.min(8, windowMax);
}

/** Grows by one with what goes well and halves with what does not, as TCP does; at least one. */
export function nextWindow(window: number, result: WorkResult, windowMax: number): number {
  if (result === 'missed') return 1;
  return result === 'well' ? Math.min(window + 1, windowMax) : Math.max(1, Math.floor(window / 2));
}
