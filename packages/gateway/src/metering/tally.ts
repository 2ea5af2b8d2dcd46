import type { MetricSample } from '@fnlet/base';

/** How durations spread: a histogram without labels, which costs nothing to add to. */
export class Tally {
  readonly #edgesMs: readonly number[];
  readonly #buckets: Uint32Array;
  #count = 0;
  #sumMs = 0;

  /** `edgesMs`: upper bounds of the buckets, ascending, without infinity. */
  constructor(edgesMs: readonly number[]) {
    this.#edgesMs = edgesMs;
    this.#buckets = new Uint32Array(edgesMs.length);
  }

  add(ms: number): void {
    this.#count++;
    this.#sumMs += ms;
    const edges = this.#edgesMs;
    for (let index = 0; index < edges.length; index++) {
      if (ms > (edges[index] ?? 0)) continue;
      this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
      return;
    }
  }

  /** As the samples of a histogram of Prometheus, in seconds. */
  samples(labels: Readonly<Record<string, string>>): readonly MetricSample[] {
    let below = 0;
    const steps = this.#edgesMs.map((edgeMs, index) => {
      below += this.#buckets[index] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: String(edgeMs / 1000) }, value: below };
    });
    return [
      ...steps,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: this.#count },
      { suffix: '_sum', labels, value: this.#sumMs / 1000 },
      { suffix: '_count', labels, value: this.#count },
    ];
  }
}
