/**
 * The client's side of a call that comes from this process: it has no connection; what would be
 * written on one is read here.
 *
 * I1. `onOutcome` is told once.
 * I2. Who has less time than the call is gone when that is over, as a client would be: nobody is
 *     blamed for an answer that would have come in the time of its route.
 */
import type { InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import type { Answer } from '../answer.ts';
import type { CallClient, ClientCall } from '../client-call.ts';
import type { Expirable } from '../deadline-sweep.ts';
import { type Body, responseBody } from '../http1/body.ts';
import { HeadReader } from '../http1/head-reader.ts';
import { Rejection } from '../http1/rejection.ts';
import { parseResponseHead, type ResponseHead } from '../http1/response-head.ts';
import type { GatewayLimits } from '../limits.ts';
import type { Part } from '../part.ts';
import { readHeaderFields } from './header-fields.ts';

/** A call from within. */
export interface InnerCall extends ClientCall {
  /** Whether an Instance may have had it. */
  readonly reached: boolean;
}

export interface InnerClientOptions {
  readonly method: string;
  readonly remoteAddress: string;
  readonly answerBytesMax: number;
  readonly timeoutMs: number;
  /** When (monotonic) that is over, whatever the Function says. */
  readonly endMs: number;
  readonly limits: GatewayLimits;
  readonly onOutcome: (outcome: InvocationAnswer | InvocationFailure) => void;
}

export class InnerClient implements CallClient, Expirable {
  readonly remoteAddress: string;
  readonly scheme = 'http';
  deadlineMs: number;
  readonly #options: InnerClientOptions;
  readonly #heads: HeadReader;
  readonly #chunks: Buffer[] = [];
  #call: InnerCall | undefined;
  /** When (monotonic) the call itself would be over. */
  #callDueMs = Number.POSITIVE_INFINITY;
  #head: ResponseHead | undefined;
  #body: Body | undefined;
  #keptBytes = 0;
  #over = false;

  constructor(options: InnerClientOptions) {
    const { headBytesMax, fieldsMax } = options.limits;
    this.#options = options;
    this.remoteAddress = options.remoteAddress;
    this.deadlineMs = options.endMs;
    // The Gateway adds a few fields of its own to what an Instance may answer with.
    const bounds = { headBytesMax: 2 * headBytesMax, fieldsMax: fieldsMax + 16 };
    this.#heads = new HeadReader({ ...bounds, startLineBytesMax: headBytesMax });
  }

  /** Begins `call`, whose body stands in `body` as a whole. */
  begin(call: InnerCall, body: Buffer): void {
    this.#call = call;
    call.begin(body, 0, body.length);
  }

  abort(): void {
    this.#fail(503, 'CallAborted', 'The call was given up');
    this.#call?.onClientGone();
  }

  onDeadline(): void {
    const { endMs, timeoutMs } = this.#options;
    this.deadlineMs = Number.POSITIVE_INFINITY;
    if (this.#callDueMs < endMs) {
      this.#call?.onDeadline();
      return;
    }
    this.#fail(504, 'CallTimeout', `There was no whole answer within ${timeoutMs} ms`);
    this.#call?.onClientGone();
  }

  setDeadline(deadlineMs: number): void {
    this.#callDueMs = deadlineMs;
    this.deadlineMs = Math.min(deadlineMs, this.#options.endMs);
  }

  write(part: Part): boolean {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    let from = 0;
    while (this.#body === undefined && from < bytes.length && !this.#over) {
      from = this.#readHead(bytes, from);
    }
    this.#body?.advance(bytes, from, (start, end) => this.#keep(bytes.subarray(start, end)));
    return true;
  }

  finish(): void {
    const { status = 502, fields } = this.#head ?? {};
    this.#tell({
      kind: 'answered',
      status,
      headers: readHeaderFields(fields?.kept ?? ''),
      body: Buffer.concat(this.#chunks),
      truncated: this.#keptBytes < (this.#body?.contentBytes ?? 0),
    });
  }

  answer({ status, code, message, retryAfterSeconds }: Answer): void {
    const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    // 502 and 504 are said of Instances that had the call, and 504 of calls for which there was none;
    // everything else, before one had it.
    const reached = (status === 502 || status === 504) && this.#call?.reached !== false;
    this.#tell({ kind: 'failed', status, reason: code, message, reached, retryAfterMs });
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    this.#fail(502, 'AnswerCut', 'The answer broke off before its end');
  }

  // The whole body is there from the beginning, and no call of ours changes the protocol.
  pauseReading(): void {}
  resumeReading(): void {}
  onSwitched(): void {}

  #readHead(bytes: Buffer, from: number): number {
    const found = this.#heads.read(bytes, from);
    if (found === false) return bytes.length;
    const head = found === true ? parseResponseHead(this.#heads) : found;
    if (head instanceof Rejection) {
      this.#fail(502, 'InstanceBroken', `The Instance sent a broken answer: ${head.message}`);
      this.#call?.onClientGone();
      return bytes.length;
    }
    if (head.status >= 200) {
      this.#head = head;
      this.#body = responseBody(head.framing, this.#options.method, head.status);
    }
    return this.#heads.end;
  }

  #keep(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#options.answerBytesMax - this.#keptBytes);
    this.#keptBytes += kept.length;
    if (kept.length > 0) this.#chunks.push(kept);
  }

  #fail(status: number, reason: string, message: string): void {
    const reached = this.#call?.reached === true;
    this.#tell({ kind: 'failed', status, reason, message, reached, retryAfterMs: undefined });
  }

  #tell(outcome: InvocationAnswer | InvocationFailure): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.onOutcome(outcome);
  }
}
