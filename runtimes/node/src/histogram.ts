/** Counts values by size, as a Prometheus histogram has it. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** How many values lie in each bucket alone; the last one is beyond all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds of the buckets, inclusive, in rising order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    this.#sum += value;
    let bucket = 0;
    // From the left: nearly every call is over within the first few bounds.
    while (value > (this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  /** The samples in the text format of Prometheus; `labels` as they stand between the braces. */
  render(name: string, labels: string): string {
    let count = 0;
    const lines = this.#counts.map((here, index) => {
      count += here;
      return `${name}_bucket{${labels},le="${this.#bounds[index] ?? '+Inf'}"} ${count}\n`;
    });
    return `${lines.join('')}${name}_sum{${labels}} ${this.#sum}\n${name}_count{${labels}} ${count}\n`;
  }
}
