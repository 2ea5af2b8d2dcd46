/** How V8 is told what the process has to do. */
export interface HeapSwitches {
  readonly preferThroughput: () => void;
  readonly preferSmallHeap: () => void;
}

/**
 * Parts of a process that have so much to do that collections would cost more than the work: V8
 * prefers throughput while there is one of them.
 */
export class HeapLoad {
  readonly #switches: HeapSwitches;
  readonly #busy = new Set<string>();

  constructor(switches: HeapSwitches) {
    this.#switches = switches;
  }

  /** A part, by its name, has much to do, or no more. */
  tell(part: string, isBusy: boolean): void {
    const before = this.#busy.size;
    if (isBusy) this.#busy.add(part);
    else this.#busy.delete(part);
    const { preferThroughput, preferSmallHeap } = this.#switches;
    if (before === 0 && this.#busy.size > 0) preferThroughput();
    else if (before > 0 && this.#busy.size === 0) preferSmallHeap();
  }
}
