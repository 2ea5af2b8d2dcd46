/**
 * Sends spans that have ended to a collector, in batches, beside the calls.
 *
 * I1. Nobody waits for it, and it keeps no process alive: what does not fit into the queue, and
 *     what the collector does not take, is dropped, and the log says so, at most once a minute.
 * I2. One request at a time.
 * I3. What it does belongs to no call, whoever hands over a span: its requests have no spans.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type FinishedSpan, formatOtlpTraces, type SpanAttributes } from '@fnlet/invocation';
import { http } from '../builtins.ts';
import { limits } from '../limits.ts';

export interface SpanExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the spans come from. */
  readonly resource: SpanAttributes;
  readonly say: (text: string) => void;
}

export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #outside = AsyncLocalStorage.snapshot();
  #queue: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #dropped = 0;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  add(span: FinishedSpan): void {
    if (this.#queue.length >= limits.spansMax) {
      this.#drop(1, 'the queue is full');
      return;
    }
    this.#queue.push(span);
    if (this.#timer !== undefined) return;
    this.#outside(() => {
      this.#timer = setTimeout(() => void this.#send(), limits.spanDelayMs).unref();
    });
  }

  /** Sends what is there; resolves when it was taken or dropped. */
  async flush(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, limits.spanBatchMax);
      this.#queue = this.#queue.slice(batch.length);
      try {
        await this.#post(formatOtlpTraces(this.#options.resource, batch));
      } catch (error) {
        this.#drop(batch.length, error instanceof Error ? error.message : String(error));
      }
    }
  }

  #post(body: string): Promise<void> {
    const { url, headers } = this.#options;
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      timeout: limits.spanRequestMs,
    };
    return new Promise((resolve, reject) => {
      const request = url.startsWith('https:')
        ? process.getBuiltinModule('node:https').request(url, options)
        : http.request(url, options);
      request.on('timeout', () => request.destroy(new Error('it did not answer in time')));
      request.on('error', reject);
      request.on('socket', (socket) => socket.unref());
      request.on('response', (response) => {
        const { statusCode = 0 } = response;
        response.resume().on('error', reject);
        response.on('end', () =>
          statusCode < 300 ? resolve() : reject(new Error(`it answered ${statusCode}`)),
        );
      });
      request.end(body);
    });
  }

  #drop(count: number, why: string): void {
    this.#dropped += count;
    const nowMs = performance.now();
    if (nowMs - this.#toldAtMs < limits.spanComplaintMs) return;
    this.#toldAtMs = nowMs;
    const { url, say } = this.#options;
    say(`Cannot send ${this.#dropped} spans to ${new URL(url).origin}: ${why}`);
    this.#dropped = 0;
  }
}
