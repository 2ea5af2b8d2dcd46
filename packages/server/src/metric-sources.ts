import type { MetricFamily } from '@fnlet/base';

/** Whoever counts anything, for one page of metrics. */
export class MetricSources {
  readonly #sources: (() => readonly MetricFamily[])[] = [];

  add(families: () => readonly MetricFamily[]): void {
    this.#sources.push(families);
  }

  /** What all of them have counted so far. */
  families(): readonly MetricFamily[] {
    return this.#sources.flatMap((families) => families());
  }
}
