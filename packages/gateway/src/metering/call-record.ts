import type { CallerOrigin } from '../fronts/wire.ts';
import type { RequestHead } from '../http1/request-head.ts';
import type { Part } from '../part.ts';
import type { Trace } from '../trace.ts';
import type { WakeTimes } from './cold-start.ts';

/** What is known of a request when its head was read. */
export interface RecordStart {
  readonly head: RequestHead;
  readonly trace: Trace;
  readonly origin: CallerOrigin;
  /** By the wall clock. */
  readonly timeMs: number;
  /** Monotonic, as all other moments. */
  readonly startedMs: number;
}

/** Who was called. */
export interface RecordedRoute {
  readonly namespace: string;
  readonly function: string;
}

/** What became of a request, once it is over; moments are monotonic. */
export interface CallFacts extends RecordStart {
  /** Who the request is from, as far as that was proved. */
  readonly consumer: string | undefined;
  readonly route: RecordedRoute | undefined;
  readonly revisionId: string | undefined;
  readonly status: number | undefined;
  /** Whether the client has all of the answer. */
  readonly complete: boolean;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** It went to the Instance that answered, or should have. */
  readonly sentMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly endedMs: number;
  /** How long it waited for an Instance to wake. */
  readonly wokenAfterMs: number | undefined;
  /** How that Instance came about; known of calls that were answered. */
  readonly wake: WakeTimes | undefined;
  /** When it was to be tried again. */
  readonly retriesMs: readonly number[];
}

const never: readonly number[] = [];

/** Takes down what becomes of one request, for those who tell about it when it is over. */
export class CallRecord {
  readonly #start: RecordStart;
  #consumer: string | undefined;
  #route: RecordedRoute | undefined;
  #revisionId: string | undefined;
  #status = 0;
  #bytesOut = 0;
  #firstByteMs: number | undefined;
  #sentMs: number | undefined;
  #wokenAfterMs: number | undefined;
  #wake: WakeTimes | undefined;
  #retriesMs = never;

  constructor(start: RecordStart) {
    this.#start = start;
  }

  onAdmitted(consumer: string | undefined): void {
    this.#consumer = consumer;
  }

  onRouted(route: RecordedRoute, revisionId: string): void {
    this.#route = route;
    this.#revisionId = revisionId;
  }

  /** The request goes to an Instance, which it waited for until now. */
  onSent(nowMs: number, wokenAfterMs: number | undefined): void {
    this.#sentMs = nowMs;
    this.#wokenAfterMs = wokenAfterMs;
  }

  /** What it waited for that found no Instance awake, and is answered. */
  onColdStart(times: WakeTimes): void {
    this.#wake = times;
  }

  onRetry(nowMs: number): void {
    this.#retriesMs = [...this.#retriesMs, nowMs];
  }

  /** Something goes to the client; whoever writes a head writes it first. */
  onWritten(part: Part, nowMs: number): void {
    this.#bytesOut += part.length;
    if (this.#status >= 200 || this.#status === 101) return;
    this.#firstByteMs ??= nowMs;
    const line = typeof part === 'string' ? part.slice(0, 12) : part.toString('latin1', 0, 12);
    if (line.startsWith('HTTP/1.1 ')) this.#status = Number(line.slice(9));
  }

  /** It is over. */
  facts(end: Pick<CallFacts, 'bytesIn' | 'complete' | 'endedMs'>): CallFacts {
    return {
      ...this.#start,
      ...end,
      consumer: this.#consumer,
      route: this.#route,
      revisionId: this.#revisionId,
      status: this.#status === 0 ? undefined : this.#status,
      bytesOut: this.#bytesOut,
      sentMs: this.#sentMs,
      firstByteMs: this.#firstByteMs,
      wokenAfterMs: this.#wokenAfterMs,
      wake: this.#wake,
      retriesMs: this.#retriesMs,
    };
  }
}
