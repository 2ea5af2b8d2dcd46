import type { MetricFamily, MetricSample } from './prometheus-text.ts';

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  /** How many values fell between the edge before and this one. */
  readonly buckets: number[];
  count: number;
  sum: number;
}

/**
 * How values spread, for each set of labels that was observed. Labels must come from a bounded set:
 * every new one is kept for good.
 */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #edges: readonly number[];
  readonly #series = new Map<string, Series>();

  /** `edges` are the upper bounds of the buckets, in ascending order, without infinity. */
  constructor(name: string, help: string, edges: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#edges = edges;
  }

  observe(labels: Labels, value: number): void {
    const series = this.#seriesOf(labels);
    const index = this.#edges.findIndex((edge) => value <= edge);
    if (index >= 0) series.buckets[index] = (series.buckets[index] ?? 0) + 1;
    series.count += 1;
    series.sum += value;
  }

  family(): MetricFamily {
    const samples = [...this.#series.values()].flatMap((series) => this.#samplesOf(series));
    return { name: this.#name, type: 'histogram', help: this.#help, samples };
  }

  #seriesOf(labels: Labels): Series {
    const key = Object.values(labels).join('\n');
    const buckets = this.#edges.map(() => 0);
    const series = this.#series.get(key) ?? { labels, buckets, count: 0, sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  #samplesOf({ labels, buckets, count, sum }: Series): MetricSample[] {
    let below = 0;
    const steps = this.#edges.map((edge, index) => {
      below += buckets[index] ?? 0;
      return { suffix: '_bucket', labels: { ...labels, le: String(edge) }, value: below };
    });
    return [
      ...steps,
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
      { suffix: '_sum', labels, value: sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}
