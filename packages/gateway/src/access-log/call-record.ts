import type { RequestHead } from '../http1/request-head.ts';
import type { Part } from '../part.ts';
import type { Trace } from '../trace.ts';

/** What is known of a request when its head was read. */
export interface RecordStart {
  readonly head: RequestHead;
  readonly trace: Trace;
  readonly client: string;
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

/** Longest path that is written down. */
const pathCharactersMax = 2048;

/**
 * What becomes of one request, for one line of the access log. It says nothing about the query and
 * the fields of the request: secrets travel there.
 */
export class CallRecord {
  readonly #start: RecordStart;
  #consumer = '';
  #route: RecordedRoute | undefined;
  #revisionId = '';
  #status = 0;
  #bytesOut = 0;
  #firstByteMs: number | undefined;
  #sentMs: number | undefined;
  #wokenAfterMs: number | undefined;

  constructor(start: RecordStart) {
    this.#start = start;
  }

  onAdmitted(consumer: string | undefined): void {
    this.#consumer = consumer ?? '';
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

  /** Something goes to the client; whoever writes a head writes it first. */
  onWritten(part: Part, nowMs: number): void {
    this.#bytesOut += part.length;
    if (this.#status >= 200 || this.#status === 101) return;
    this.#firstByteMs ??= nowMs;
    const line = typeof part === 'string' ? part.slice(0, 12) : part.toString('latin1', 0, 12);
    if (line.startsWith('HTTP/1.1 ')) this.#status = Number(line.slice(9));
  }

  /** The line; `complete`: the client has all of the answer. */
  format(bytesIn: number, nowMs: number, complete: boolean): string {
    const { head, trace, client, timeMs, startedMs } = this.#start;
    const path = head.target.split('?', 1)[0] ?? '';
    return JSON.stringify({
      time: new Date(timeMs).toISOString(),
      client,
      method: head.method,
      host: head.host,
      path: path.slice(0, pathCharactersMax),
      status: this.#status === 0 ? undefined : this.#status,
      complete,
      bytesIn,
      bytesOut: this.#bytesOut,
      durationMs: rounded(nowMs - startedMs),
      queueMs: rounded(this.#sentMs === undefined ? undefined : this.#sentMs - startedMs),
      wakeMs: rounded(this.#wokenAfterMs),
      upstreamMs: this.#upstreamMs(),
      namespace: this.#route?.namespace,
      function: this.#route?.function,
      revision: this.#revisionId === '' ? undefined : this.#revisionId.split('/').at(-1),
      consumer: this.#consumer === '' ? undefined : this.#consumer,
      requestId: trace.requestId,
      traceId: trace.traceparent.split('-')[1],
    });
  }

  /** From the request at the Instance to the first byte of its answer. */
  #upstreamMs(): number | undefined {
    const [fromMs, toMs] = [this.#sentMs, this.#firstByteMs];
    return fromMs === undefined || toMs === undefined ? undefined : rounded(toMs - fromMs);
  }
}

function rounded(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000;
}
