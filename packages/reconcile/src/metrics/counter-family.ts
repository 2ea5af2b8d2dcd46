import type { MetricFamily } from '@fnlet/base';

type Labels = Readonly<Record<string, string>>;

/** Something that is counted, for each set of labels; those must come from a bounded set. */
export class CounterFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, count = 1): void {
    const key = Object.values(labels).join('\n');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, value: count });
    else known.value += count;
  }

  /** Forgets every count with these labels, whatever others it has. */
  remove(labels: Labels): void {
    const wanted = Object.entries(labels);
    for (const [key, count] of this.#counts) {
      if (wanted.every(([name, value]) => count.labels[name] === value)) this.#counts.delete(key);
    }
  }

  family(): MetricFamily {
    const samples = [...this.#counts.values()];
    return { name: this.#name, type: 'counter', help: this.#help, samples };
  }
}
