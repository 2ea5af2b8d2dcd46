import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  decideFailure,
  readTraceContext,
  type Specialisation,
  type TraceContext,
} from '@fnlet/invocation';
import type { CallOutcome } from './call-metrics.ts';
import {
  BodyTooLarge,
  declaredBytes,
  IncomingBody,
  isMultipart,
  MalformedBody,
} from './incoming-body.ts';
import type { CallLog, InstanceLog } from './instance-log.ts';
import { limits } from './limits.ts';
import { randomTraceId } from './trace-id.ts';
import type { Tracing } from './tracing/tracing.ts';
import { describeThrown } from './user-stack.ts';

/** What a call needs to know of its surroundings. */
export interface CallSetting {
  readonly specialisation: Specialisation;
  /** Largest body of a request that consists of parts. */
  readonly multipartBytesMax: number;
  readonly log: InstanceLog;
  /** Makes spans; absent where nobody wants any. */
  readonly tracing?: Tracing;
}

type Answerer = 'handler' | 'runner';

/**
 * One call of the function, from its request to the end of its answer.
 *
 * I1. It is answered once: by the handler's result, its failure, the timeout or a refused body,
 *     whichever comes first; what comes later changes nothing.
 * I2. The signal aborts on timeout and when the client goes away, never after a complete answer.
 * I3. Nothing here reaches another call.
 * I4. The timeout bounds the time until the answer begins, then every time in which nothing of it
 *     is sent: an answer may stream for as long as it has something to say. Looked at once per
 *     timeout, so that a silent stream is cut off after twice that time at the latest.
 */
export class Call {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly setting: CallSetting;
  readonly log: CallLog;
  readonly deadlineMs: number;
  readonly #startMs = performance.now();
  /** Bytes of the answer, when it is sent as a whole; for the access log. */
  contentLength: number | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onClose: (call: Call) => void;
  /** What the connection had sent when the timeout was looked at last. */
  #sentBytes: number;
  #abort: AbortController | undefined;
  #abortReason: unknown;
  #answeredBy: Answerer | undefined;
  #closed = false;
  #failed = false;
  #trace: { readonly read: TraceContext | undefined } | undefined;

  constructor(options: {
    readonly requestId: string;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly setting: CallSetting;
    readonly onClose: (call: Call) => void;
  }) {
    const { requestId, request, response, setting, onClose } = options;
    const { timeoutMs } = setting.specialisation.limits;
    this.requestId = requestId;
    this.request = request;
    this.response = response;
    this.setting = setting;
    this.#onClose = onClose;
    this.log = setting.log.open(requestId);
    this.deadlineMs = Date.now() + timeoutMs;
    this.#sentBytes = request.socket.bytesWritten;
    this.#timer = setTimeout(onTimeout, Math.min(timeoutMs, limits.timerMsMax), this);
    response.on('close', () => this.#close());
  }

  /** Aborts when the caller no longer waits. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#abortReason !== undefined) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  /** Whether an answer was decided, or nobody is left to get one. */
  get over(): boolean {
    return this.#answeredBy !== undefined || this.#closed;
  }

  /** Where in a distributed trace the call comes from; most calls are over before anybody asks. */
  get trace(): TraceContext | undefined {
    this.#trace ??= { read: readTraceContext(this.request.headers, randomTraceId) };
    return this.#trace.read;
  }

  /** What is counted of it once it is over. */
  get outcome(): CallOutcome {
    const method = this.request.method ?? '';
    return { method, durationMs: performance.now() - this.#startMs, failed: this.#failed };
  }

  /** Takes the right to answer; false when somebody else has it. */
  claim(by: Answerer): boolean {
    if (this.over) return false;
    this.#answeredBy = by;
    return true;
  }

  /** The body of the request, at most as large as the Revision allows. */
  body(): IncomingBody {
    return new IncomingBody(this.request, this.#bodyBytesMax, (error) => this.#refuseBody(error));
  }

  get #bodyBytesMax(): number {
    const { specialisation, multipartBytesMax } = this.setting;
    const { bodyBytesMax } = specialisation.limits;
    return bodyBytesMax < multipartBytesMax && isMultipart(this.request)
      ? multipartBytesMax
      : bodyBytesMax;
  }

  /** Answers 413 if the request says itself that its body is too large. */
  refuseDeclaredBody(): boolean {
    if (declaredBytes(this.request) <= this.#bodyBytesMax) return false;
    this.#refuseBody();
    return true;
  }

  /** Answers for a handler that threw or rejected, and puts its stack into the log. */
  fail(thrown: unknown): void {
    const { compatibility } = this.setting.specialisation;
    const answer = decideFailure(thrown, isRefusal(thrown) ? undefined : compatibility);
    if (answer.status >= 500) this.noteFailure(thrown);
    if (this.claim('runner')) this.answerText(answer.status, answer.text);
    else if (this.#answeredBy === 'handler') this.#breakOff();
  }

  /** Counts the call as failed, and puts what its handler threw into the log. */
  noteFailure(thrown: unknown): void {
    if (this.#isEcho(thrown)) return;
    this.#failed = true;
    this.setting.log.run(this.log, () => this.setting.log.say(describeThrown(thrown)));
  }

  /** A plain answer of the Runner's own; `keepOpen` leaves it to the caller to end it. */
  answerText(status: number, text: string, keepOpen?: 'keepOpen'): void {
    const { response } = this;
    if (response.headersSent) {
      this.#breakOff();
      return;
    }
    for (const name of response.getHeaderNames()) {
      // Which pages may read the answer, they may also when it is this one.
      if (!name.startsWith('access-control-')) response.removeHeader(name);
    }
    this.contentLength = Buffer.byteLength(text);
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': this.contentLength,
      'x-request-id': this.requestId,
    });
    if (keepOpen === undefined) response.end(text);
    else response.write(text);
  }

  /** Ends this call for the reason that its time is up, unless its answer goes on (I4). */
  timeOut(): void {
    const { headersSent, writableEnded } = this.response;
    // What remains is to be read by the client, and that is the Gateway's business.
    if (writableEnded) return;
    const sentBytes = this.request.socket.bytesWritten;
    if (headersSent && sentBytes > this.#sentBytes) {
      this.#sentBytes = sentBytes;
      this.#timer.refresh();
      return;
    }
    const { timeoutMs } = this.setting.specialisation.limits;
    const missing = headersSent ? 'nothing more of its answer' : 'no answer';
    this.setting.log.run(this.log, () =>
      this.setting.log.say(`Call cancelled: found ${missing} after ${timeoutMs} ms`),
    );
    this.#answeredBy = 'runner';
    this.#failed = true;
    this.answerText(408, 'Request Timeout');
    this.cancel(new DOMException(`No answer after ${timeoutMs} ms`, 'TimeoutError'));
  }

  /** Aborts the signal. */
  cancel(reason: unknown): void {
    this.#abortReason ??= reason;
    const abort = this.#abort;
    if (abort === undefined) return;
    // Whoever listens was called by a timer or a socket, and logs for this call nevertheless.
    this.setting.log.run(this.log, () => abort.abort(reason));
  }

  // Half an answer is out: only a broken connection tells the caller that it is not whole.
  // What Node holds back until the next tick leaves first: else the answer would seem never to have
  // begun, and the call be made again.
  #breakOff(): void {
    if (this.response.writableEnded) return;
    // Up to Node 24 the socket holds it, later the response.
    if (this.response.writableCorked > 0) this.response.uncork();
    this.request.socket.uncork();
    this.response.destroy();
  }

  #refuseBody(error?: BodyTooLarge): void {
    if (!this.claim('runner')) return;
    this.answerText(413, 'Payload Too Large', 'keepOpen');
    discardBody(this.request, () => this.response.end());
    if (error !== undefined) this.cancel(error);
  }

  // The handler only repeats what the Runner told it.
  #isEcho(thrown: unknown): boolean {
    const isCancelled = this.#abortReason !== undefined || this.request.readableAborted;
    return isCancelled && (thrown === this.#abortReason || isAbort(thrown));
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    if (!this.response.writableFinished) {
      this.cancel(new DOMException('The client went away', 'AbortError'));
    }
    this.log.end();
    this.#onClose(this);
  }
}

function onTimeout(call: Call): void {
  call.timeOut();
}

// The Runner's own word about the request, and none of the handler's.
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof MalformedBody || thrown instanceof BodyTooLarge;
}

function isAbort(thrown: unknown): boolean {
  return (
    thrown instanceof Error && (thrown.name === 'AbortError' || thrown.name === 'TimeoutError')
  );
}

// Closing a connection on which the client still sends would reset it, and the client would never
// see the answer. So its body is taken in first; but not however much that is.
function discardBody(request: IncomingMessage, whenDone: () => void): void {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limits.refusedBodyBytesMax) request.destroy();
  });
  request.on('close', whenDone);
  request.resume();
}
