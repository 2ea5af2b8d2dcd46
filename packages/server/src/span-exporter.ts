/**
 * Sends spans of the Gateway to a collector, in batches, beside the calls.
 *
 * I1. No call waits for it. What does not fit into the queue, and what the collector does not take,
 *     is dropped, and the log says so, at most once a minute.
 * I2. One request at a time; none while there are no spans.
 */
import { type Clock, errorMessage, type Logger, type Timer } from '@fnlet/base';
import {
  type FinishedSpan,
  formatOtlpTraces,
  type SpanAttributes,
  type TraceTarget,
} from '@fnlet/invocation';
import { spanBatchMax, spanComplaintMs, spanDelayMs, spanRequestMs, spansMax } from './limits.ts';

export interface SpanExporterOptions {
  readonly target: TraceTarget;
  /** What the spans come from. */
  readonly resource: SpanAttributes;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class SpanExporter implements AsyncDisposable {
  readonly #options: SpanExporterOptions;
  #queue: FinishedSpan[] = [];
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  add(span: FinishedSpan): void {
    if (this.#queue.length >= spansMax) {
      this.#drop(1, 'the queue is full');
      return;
    }
    this.#queue.push(span);
    this.#timer ??= this.#options.clock.after(spanDelayMs, () => void this.#send());
  }

  /** Sends what is there. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  #send(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, spanBatchMax);
      this.#queue = this.#queue.slice(batch.length);
      try {
        await this.#post(formatOtlpTraces(this.#options.resource, batch));
      } catch (error) {
        this.#drop(batch.length, errorMessage(error));
      }
    }
  }

  async #post(body: string): Promise<void> {
    const { target, clock } = this.#options;
    const abort = new AbortController();
    const late = clock.after(spanRequestMs, () => abort.abort(new Error('it did not answer')));
    try {
      const answer = await fetch(target.url, {
        method: 'POST',
        headers: { ...target.headers, 'content-type': 'application/json' },
        body,
        signal: abort.signal,
        redirect: 'error',
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    } finally {
      late.cancel();
    }
  }

  #drop(count: number, why: string): void {
    this.#dropped += count;
    const { clock, logger, target } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#toldAtMs < spanComplaintMs) return;
    this.#toldAtMs = nowMs;
    const collector = new URL(target.url).origin;
    logger.warn('Cannot send spans of the Gateway', { collector, spans: this.#dropped, why });
    this.#dropped = 0;
  }
}
