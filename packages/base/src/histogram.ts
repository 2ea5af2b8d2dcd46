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
 * every new one is kept until it is removed.
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

  /** Forgets every series with these labels, whatever others it has. */
  remove(labels: Labels): void {
    const wanted = Object.entries(labels);
    for (const [key, series] of this.#series) {
      if (wanted.every(([name, value]) => series.labels[name] === value)) this.#series.delete(key);
    }
  }

  family(): MetricFamily {
    const samples = [...this.#series.values()].flatMap((series) => this.#samplesOf(series));
    return { name: this.#name, type: 'histogram', help: this.#help, samples };
  }

  #seriesOf(labels: Labels): Series {
    const key = Object.values(labels).join('\n');
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = { labels, buckets: this.#edges.map(() => 0), count: 0, sum: 0 };
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
