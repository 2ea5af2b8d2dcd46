/**
 * Knows the numbers that Functions scale by and that others measure: queries of Prometheus.
 *
 * I1. One queue serves all: a Function that scales by such a number is an entry here, asleep or
 *     awake; any other is nothing.
 * I2. The last good value counts for a while when a server fails; then nothing is known, and what
 *     is not known never makes a Function shrink.
 * I3. A server that hangs is one that fails: it is named, and the others are heard.
 */
import type { PrometheusMetric, ResolvedScale } from '@fnlet/api';
import { type Clock, errorMessage, jsonEqual } from '@fnlet/base';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { Result } from '@fnlet/reconcile';
import { FunctionsError } from '../functions-error.ts';
import { limits } from '../limits.ts';
import { type FetchText, queryPrometheus } from './query-prometheus.ts';

interface Entry {
  readonly metrics: readonly PrometheusMetric[];
  readonly values: Map<string, { readonly value: number; readonly atMs: number }>;
  trouble: string | undefined;
}

export interface ForeignMetricsOptions {
  readonly fetchText: FetchText;
  readonly clock: Clock;
  /** Asks for a call of {@link ForeignMetrics.check} with this key. */
  readonly schedule: (key: ObjectKey) => void;
  /** There are new values, one of them above zero or none. Must only take note. */
  readonly onRead: (key: ObjectKey, isWanted: boolean) => void;
  /** Why a value is not known is another reason now, or none. Must only take note. */
  readonly onTrouble: (key: ObjectKey, trouble: string | undefined) => void;
}

export class ForeignMetrics {
  readonly #options: ForeignMetricsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: ForeignMetricsOptions) {
    this.#options = options;
  }

  /** Follows what a Function scales by from now on. */
  track(key: ObjectKey, { sources }: Pick<ResolvedScale, 'sources'>): void {
    const metrics = sources.flatMap(({ prometheus }) => prometheus ?? []);
    const id = formatObjectKey(key);
    if (metrics.length === 0) {
      this.#entries.delete(id);
      return;
    }
    if (jsonEqual(this.#entries.get(id)?.metrics, metrics)) return;
    this.#entries.set(id, { metrics, values: new Map(), trouble: undefined });
    this.#options.schedule(key);
  }

  forget(key: ObjectKey): void {
    this.#entries.delete(formatObjectKey(key));
  }

  /** By the name of the metric; what is not known is missing. */
  valuesOf(key: ObjectKey): ReadonlyMap<string, number> {
    const now = this.#options.clock.now();
    const values = this.#entries.get(formatObjectKey(key))?.values ?? new Map();
    const fresh = [...values].filter(([, { atMs }]) => now - atMs < limits.metricGoodMs);
    return new Map(fresh.map(([name, { value }]) => [name, value]));
  }

  /** Why a value is not known; `null`: all are. `undefined`: there are none to know. */
  troubleOf(key: ObjectKey): string | null | undefined {
    const entry = this.#entries.get(formatObjectKey(key));
    return entry === undefined ? undefined : (entry.trouble ?? null);
  }

  /** Asks the servers of one Function. */
  async check(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const { clock, onRead, onTrouble } = this.#options;
    const entry = this.#entries.get(formatObjectKey(key));
    if (entry === undefined) return undefined;
    const reads = await Promise.allSettled(
      entry.metrics.map((metric) => this.#ask(metric, signal)),
    );
    signal.throwIfAborted();
    // Somebody may have changed the question meanwhile.
    if (this.#entries.get(formatObjectKey(key)) !== entry) return undefined;
    let trouble: string | undefined;
    for (const [index, read] of reads.entries()) {
      const name = entry.metrics[index]?.name ?? '';
      if (read.status === 'fulfilled') {
        entry.values.set(name, { value: read.value, atMs: clock.now() });
      } else trouble ??= `${name}: ${errorMessage(read.reason)}`;
    }
    if (trouble !== entry.trouble) {
      entry.trouble = trouble;
      onTrouble(key, trouble);
    }
    onRead(
      key,
      [...this.valuesOf(key).values()].some((value) => value > 0),
    );
    return { requeueAfterMs: limits.metricMs };
  }

  /** Rejects in time to say who did not answer, and without keeping others from being heard. */
  async #ask(metric: PrometheusMetric, signal: AbortSignal): Promise<number> {
    const { clock, fetchText } = this.#options;
    const silence = new AbortController();
    const timer = clock.after(limits.metricAnswerMs, () => silence.abort());
    try {
      const bounded = AbortSignal.any([signal, silence.signal]);
      return await queryPrometheus(metric, fetchText, bounded);
    } catch (error) {
      if (!silence.signal.aborted) throw error;
      const { url, query } = metric;
      const seconds = limits.metricAnswerMs / 1000;
      const message = `Cannot read metric "${query}" from ${url}: no answer came within ${seconds} s`;
      throw new FunctionsError('MetricUnavailable', message, { cause: error, retry: 'later' });
    } finally {
      timer.cancel();
    }
  }
}
