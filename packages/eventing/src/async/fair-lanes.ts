/**
 * What waits to be done, in lanes that take turns: one lane is one Function, or one server that is
 * called back.
 *
 * I1. Within a lane the order is that of `add`; between lanes, each that has work and room is taken
 *     from once before one is taken from twice.
 * I2. At most `window` of a lane are in progress. A lane that has neither work nor work in progress
 *     is forgotten, and with it what was learnt about it.
 */
interface Lane {
  readonly key: string;
  /** Insertion order is the order of the work. */
  readonly waiting: Set<string>;
  inProgress: number;
  window: number;
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
      lane = { key, waiting: new Set(), inProgress: 0, window };
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

  /** It is over; `well`: whether there may be more of its kind at once, or should be fewer. */
  done(key: string, well: boolean): void {
    const lane = this.#lanes.get(key);
    if (lane === undefined) return;
    lane.inProgress--;
    lane.window = nextWindow(lane.window, well, this.#windowMax);
    this.#settle(lane);
  }

  #settle(lane: Lane): void {
    const { key, waiting, inProgress, window } = lane;
    if (waiting.size === 0 || inProgress >= window) this.#ready.delete(key);
    else this.#ready.set(key, lane);
    if (waiting.size === 0 && inProgress === 0) this.#lanes.delete(key);
  }
}

function firstWindow(windowMax: number): number {
  return Math.min(8, windowMax);
}

/** Grows by one with what goes well and halves with what does not, as TCP does; at least one. */
export function nextWindow(window: number, well: boolean, windowMax: number): number {
  return well ? Math.min(window + 1, windowMax) : Math.max(1, Math.floor(window / 2));
}
