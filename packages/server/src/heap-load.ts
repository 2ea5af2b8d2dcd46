/** How V8 is told what the process has to do. */
export interface HeapSwitches {
  readonly preferThroughput: () => void;
  readonly preferSmallHeap: () => void;
  /** The young generation may grow. */
  readonly growYoung: () => void;
  /** It may not grow. */
  readonly holdYoung: () => void;
}

/**
 * Parts of a process that have so much to do that collections would cost more than the work: V8
 * prefers throughput while there is one of them, and may grow its young generation while there is
 * one in which many wait at once.
 */
export class HeapLoad {
  readonly #switches: HeapSwitches;
  readonly #crowded: ReadonlySet<string>;
  readonly #busy = new Set<string>();
  #begun = false;

  /** @param crowded the parts in which many wait at once while they are busy */
  constructor(switches: HeapSwitches, crowded: ReadonlySet<string>) {
    this.#switches = switches;
    this.#crowded = crowded;
  }

  /**
   * The start is over: V8 hears of what is so, and from now on of what changes. Not before: what a
   * start compiles is kept for the next one, and carries the flags that it was compiled under.
   */
  begin(): void {
    const { preferSmallHeap, holdYoung } = this.#switches;
    this.#begun = true;
    if (!this.#isBusy) preferSmallHeap();
    if (!this.#isCrowded) holdYoung();
  }

  /** A part, by its name, has much to do, or no more. */
  tell(part: string, isBusy: boolean): void {
    const before = { isBusy: this.#isBusy, isCrowded: this.#isCrowded };
    if (isBusy) this.#busy.add(part);
    else this.#busy.delete(part);
    if (!this.#begun) return;
    const { preferThroughput, preferSmallHeap, growYoung, holdYoung } = this.#switches;
    if (before.isBusy !== this.#isBusy) (this.#isBusy ? preferThroughput : preferSmallHeap)();
    if (before.isCrowded !== this.#isCrowded) (this.#isCrowded ? growYoung : holdYoung)();
  }

  get #isBusy(): boolean {
    return this.#busy.size > 0;
  }

  get #isCrowded(): boolean {
    return !this.#busy.isDisjointFrom(this.#crowded);
  }
}
