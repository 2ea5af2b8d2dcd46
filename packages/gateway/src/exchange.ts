/**
 * One call: a request of a client, forwarded to an Instance, and its answer on the way back.
 *
 * Bytes are relayed as they come, in both directions; nothing waits for a whole body. What the
 * client does not read, we do not read from the Instance, and the other way round.
 *
 * I1. The call is parked, or it holds exactly one entered upstream, or it is over.
 * I2. The client gets exactly one final answer, or its connection is cut after that began.
 * I3. The retry rule. A call whose connection is lost before the first byte of its answer is tried
 *     again while the bytes that were sent are still at hand, and
 *     (a) any method, when it is proven that nothing was sent: the connection was refused, or the
 *         first write on it failed because the other end was closed already;
 *     (b) once, a method that RFC 9110 §9.2.2 calls idempotent.
 *     Otherwise a function might run twice for one call, and the client gets 502.
 */
import type { Activator } from './activator.ts';
import type { Answer } from './answer.ts';
import type { Waiter } from './backend.ts';
import {
  type BodyCoding,
  bodyCoding,
  forwardedRequest,
  forwardedResponse,
  interimResponse,
  switchingResponse,
} from './forwarding.ts';
import { type Body, emptyBody, responseBody } from './http1/body.ts';
import { Rejection } from './http1/rejection.ts';
import type { RequestHead } from './http1/request-head.ts';
import { parseResponseHead, type ResponseHead } from './http1/response-head.ts';
import type { GatewayLimits } from './limits.ts';
import type { Route } from './route.ts';
import type { Trace } from './trace.ts';
import type { Upstream } from './upstream.ts';
import type { Loss, UpstreamConnection, UpstreamUser } from './upstream-connection.ts';

/** The client's side of a call. */
export interface CallClient {
  readonly remoteAddress: string;
  /** Whether more may be written at once; otherwise `onClientDrain` follows. */
  write(data: string | Buffer): boolean;
  pauseReading(): void;
  resumeReading(): void;
  /** Sets when (monotonic) `onDeadline` is due. */
  setDeadline(deadlineMs: number): void;
  /** The connection carries another protocol from here on. */
  onSwitched(): void;
  /** The call is over; the connection goes on if it may. */
  finish(keepAlive: boolean): void;
  /** The call is over with an answer of our own. */
  answer(answer: Answer): void;
  /** Sends what is written, then ends the connection. */
  end(): void;
  /** Cuts the connection. */
  destroy(): void;
}

/** A request that found its route. */
export interface Call {
  readonly head: RequestHead;
  /** Followed by the client's side. */
  readonly body: Body;
  readonly route: Route;
  readonly revisionId: string;
  /** Path and query for the function. */
  readonly target: string;
  readonly trace: Trace;
  readonly arrivedMs: number;
}

export interface ExchangeContext {
  readonly activator: Activator;
  readonly limits: GatewayLimits;
  readonly monotonicMs: () => number;
  /** See `GatewayOptions`. */
  readonly onUnresponsive: (revisionId: string, endpointId: string) => void;
  /** Whether connections should end after the call in progress. */
  readonly closing: () => boolean;
}

/** Bodies up to this size travel in one write with their head. */
const joinedBodyMax = 16 * 1024;

const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

export class Exchange implements Waiter, UpstreamUser {
  readonly concurrencyLimit: number;
  readonly #call: Call;
  readonly #client: CallClient;
  readonly #context: ExchangeContext;
  #stage: 'parked' | 'sent' | 'answering' | 'tunnel' | 'over' = 'parked';
  #upstream: Upstream | undefined;
  #connection: UpstreamConnection | undefined;
  /** What was sent first, as long as it is all that was sent; see I3. */
  #opening: readonly (string | Buffer)[] | undefined;
  #attempts = 1;
  #sentMs = 0;
  #interimAnswers = 0;
  #response: ResponseHead | undefined;
  #responseBody: Body = emptyBody;
  #coding: BodyCoding = 'verbatim';
  #keepAlive = false;
  #wokenAfterMs: number | undefined;
  #woken = false;

  constructor(call: Call, client: CallClient, context: ExchangeContext) {
    this.#call = call;
    this.#client = client;
    this.#context = context;
    this.concurrencyLimit = call.route.concurrencyLimit;
  }

  /** Whether the connection now carries another protocol. */
  get tunnelling(): boolean {
    return this.#stage === 'tunnel';
  }

  /** Starts the call with the part of its body that came together with its head. */
  begin(chunk: Buffer, from: number, to: number): void {
    const { head, target, trace, route, arrivedMs } = this.#call;
    if (!this.#acceptsBody()) return;
    const { remoteAddress } = this.#client;
    const text = forwardedRequest({ head, target, remoteAddress, trace });
    this.#opening = joined(text, owned(chunk, from, to));
    this.#client.setDeadline(arrivedMs + route.timeoutMs);
    this.#acquire(undefined);
  }

  /** More bytes of the client: of its body, or of the other protocol. */
  onClientData(chunk: Buffer): void {
    if (this.#stage !== 'tunnel' && !this.#acceptsBody()) return;
    this.#opening = undefined;
    if (this.#connection?.write(chunk) === false) this.#client.pauseReading();
  }

  /** The body is not what its framing said. */
  onBrokenBody(): void {
    const message = 'Cannot read the request body: a chunk is broken';
    this.#fail({ status: 400, code: 'BadRequest', message });
  }

  onClientDrain(): void {
    if (this.#stage !== 'answering' && this.#stage !== 'tunnel') return;
    this.#client.setDeadline(Number.POSITIVE_INFINITY);
    this.#connection?.resume();
  }

  /** The client is gone: so is the call, and the function's signal aborts. */
  onClientGone(): void {
    if (this.#stage === 'parked') {
      this.#context.activator.cancel(this.#call.revisionId, this);
    }
    this.#stage = 'over';
    this.#release(false);
  }

  onDeadline(): void {
    const { timeoutMs } = this.#call.route;
    if (this.#stage === 'parked') {
      const message = `No Instance was ready within ${timeoutMs} ms`;
      this.#fail({ status: 504, code: 'CallTimeout', message });
    } else if (this.#stage === 'sent') {
      const message = `The Instance did not answer within ${timeoutMs} ms`;
      this.#reportSilence();
      this.#fail({ status: 504, code: 'CallTimeout', message });
    } else {
      this.#cut();
    }
  }

  onUpstream(upstream: Upstream): void {
    const waitedMs = this.#context.monotonicMs() - this.#call.arrivedMs;
    if (this.#woken) this.#wokenAfterMs = waitedMs;
    this.#dispatch(upstream);
    if (!this.#call.body.done) this.#client.resumeReading();
  }

  onUpstreamDrain(): void {
    this.#client.resumeReading();
  }

  onUpstreamData(chunk: Buffer): void {
    let from = 0;
    while (this.#stage === 'sent' && from < chunk.length) {
      const next = this.#readHead(chunk, from);
      if (next === undefined) return;
      from = next;
    }
    if (this.#stage === 'answering') {
      if (from < chunk.length) this.#relay(chunk, from);
    } else if (this.#stage === 'tunnel' && from < chunk.length) {
      this.#toClient(owned(chunk, from, chunk.length));
    }
  }

  onUpstreamLost(loss: Loss): void {
    const upstream = this.#upstream;
    const broken = this.#connection?.reader.partial === true || this.#interimAnswers > 0;
    this.#connection = undefined;
    if (loss.refused && upstream !== undefined) {
      this.#context.activator.backend(this.#call.revisionId).eject(upstream);
    }
    if (this.#stage === 'answering' || this.#stage === 'tunnel') this.#endOfAnswer(loss);
    else if (!broken && this.#mayRetry(loss)) this.#retry(upstream);
    else {
      const message = 'The Instance went away before it answered';
      this.#fail({ status: 502, code: 'InstanceGone', message });
    }
  }

  // A Runner answers 408 when a call's time is over. One that did not, though it had the call for
  // all that time, and that answered nobody else meanwhile, is not slow: its thread is stuck.
  #reportSilence(): void {
    const upstream = this.#upstream;
    const silentSinceMs = Math.max(this.#sentMs, upstream?.heardMs ?? 0);
    const { revisionId, route } = this.#call;
    const silentMs = this.#context.monotonicMs() - silentSinceMs;
    if (upstream === undefined || silentMs <= route.timeoutMs) return;
    this.#context.onUnresponsive(revisionId, upstream.endpoint.id);
  }

  #acquire(except: Upstream | undefined): void {
    const { activator } = this.#context;
    const { revisionId } = this.#call;
    const again = this.#attempts > 1;
    this.#woken ||= !activator.backend(revisionId).hasUpstreams;
    const found = activator.acquire({ revisionId, waiter: this, except, again });
    if (found === 'full') {
      this.#stage = 'over';
      const message = 'Too many calls wait for this function already';
      this.#client.answer({ status: 503, code: 'QueueFull', message, retryAfterSeconds: 1 });
    } else if (found === 'parked') {
      // It may have been served already, while it was being parked.
      if (this.#stage === 'parked' && !this.#call.body.done) this.#client.pauseReading();
    } else {
      this.#dispatch(found);
    }
  }

  #dispatch(upstream: Upstream): void {
    const { route, arrivedMs } = this.#call;
    const connection = upstream.takeConnection();
    this.#upstream = upstream;
    this.#connection = connection;
    this.#stage = 'sent';
    this.#sentMs = this.#context.monotonicMs();
    connection.assign(this);
    this.#client.setDeadline(arrivedMs + route.timeoutMs + this.#context.limits.answerGraceMs);
    for (const part of this.#opening ?? []) {
      if (!connection.write(part) && !this.#call.body.done) this.#client.pauseReading();
    }
  }

  /** Whether the body is small enough so far; otherwise the call is over. */
  #acceptsBody(): boolean {
    const { head, body, route } = this.#call;
    const bytes = Math.max(head.framing.contentLength, body.contentBytes);
    if (bytes <= route.bodyBytesMax) return true;
    const message = `The request body is larger than ${route.bodyBytesMax} bytes`;
    this.#fail({ status: 413, code: 'BodyTooLarge', message });
    return false;
  }

  /** Where the answer goes on after a head; `undefined` when more is needed or the call is over. */
  #readHead(chunk: Buffer, from: number): number | undefined {
    const reader = this.#connection?.reader;
    const found = reader?.read(chunk, from);
    if (reader === undefined || found === undefined || found === false) return undefined;
    const response = found instanceof Rejection ? found : parseResponseHead(reader);
    if (response instanceof Rejection) return this.#refuse(response.message);
    if (this.#upstream !== undefined) this.#upstream.heardMs = this.#context.monotonicMs();
    if (response.status >= 200) {
      this.#startAnswer(response, chunk, reader.end);
      return undefined;
    }
    if (response.status === 101) {
      if (this.#call.head.upgrade === undefined) return this.#refuse('it changes the protocol');
      this.#stage = 'tunnel';
      this.#client.setDeadline(Number.POSITIVE_INFINITY);
      this.#toClient(switchingResponse(response, this.#call.trace.requestId));
      this.#client.onSwitched();
    } else {
      this.#interimAnswers++;
      if (this.#interimAnswers > this.#context.limits.interimAnswersMax) {
        return this.#refuse('there are too many interim answers');
      }
      if (this.#call.head.version === '1.1') this.#client.write(interimResponse(response));
    }
    return reader.end;
  }

  #refuse(what: string): undefined {
    const message = `The Instance sent a broken answer: ${what}`;
    this.#fail({ status: 502, code: 'InstanceBroken', message });
    return undefined;
  }

  #startAnswer(response: ResponseHead, chunk: Buffer, from: number): void {
    const { head } = this.#call;
    const body = responseBody(response.framing, head.method, response.status);
    const hasBody = body !== emptyBody || response.framing.contentLength === 0;
    const coding = bodyCoding(response, head.version);
    const to = coding === 'verbatim' ? body.advance(chunk, from) : from;
    if (to < 0) {
      this.#refuse('its body is broken');
      return;
    }
    this.#stage = 'answering';
    this.#response = response;
    this.#responseBody = body;
    this.#coding = coding;
    const text = this.#answerHead(response, hasBody);
    this.#client.setDeadline(Number.POSITIVE_INFINITY);
    if (coding === 'verbatim') {
      this.#sendLast(joined(text, owned(chunk, from, to)), to === chunk.length);
    } else {
      this.#toClient(text);
      this.#relay(chunk, from);
    }
  }

  #answerHead(response: ResponseHead, hasBody: boolean): string {
    const { head, trace } = this.#call;
    const legacy = head.version === '1.0';
    // HTTP/1.0 learns the end of a body of unknown length by the end of the connection.
    const endless = legacy && hasBody && response.framing.contentLength < 0;
    this.#keepAlive = head.keepAlive && !endless && !this.#context.closing();
    return forwardedResponse({
      response,
      hasBody,
      coding: this.#coding,
      requestId: trace.requestId,
      keepAlive: this.#keepAlive,
      legacy,
      wokenAfterMs: this.#wokenAfterMs,
    });
  }

  #relay(chunk: Buffer, from: number): void {
    const parts: (string | Buffer)[] = [];
    const body = this.#responseBody;
    const to =
      this.#coding === 'verbatim'
        ? body.advance(chunk, from)
        : body.advance(chunk, from, (start, end) => {
            const content = owned(chunk, start, end);
            if (this.#coding === 'decoded') parts.push(content);
            else parts.push(`${(end - start).toString(16)}\r\n`, content, '\r\n');
          });
    if (to < 0) {
      this.#cut();
      return;
    }
    if (this.#coding === 'verbatim') parts.push(owned(chunk, from, to));
    this.#sendLast(parts, to === chunk.length);
  }

  /** Sends a part of the answer; ends the call if it is the last. */
  #sendLast(parts: readonly (string | Buffer)[], clean: boolean): void {
    for (const part of parts) this.#toClient(part);
    if (this.#responseBody.done) this.#complete(clean);
  }

  #toClient(data: string | Buffer): void {
    if (data.length === 0 || this.#client.write(data)) return;
    this.#connection?.pause();
    this.#client.setDeadline(this.#context.monotonicMs() + this.#context.limits.stallTimeoutMs);
  }

  /** `clean`: the Instance sent nothing beyond its answer. */
  #complete(clean: boolean): void {
    const reusable = clean && this.#call.body.done && this.#response?.keepAlive === true;
    this.#stage = 'over';
    this.#release(reusable);
    this.#client.finish(this.#keepAlive);
  }

  #endOfAnswer(loss: Loss): void {
    if (this.#stage === 'tunnel') {
      this.#stage = 'over';
      this.#release(false);
      this.#client.end();
    } else if (loss.ended && this.#response?.framing.contentLength === -1 && !this.#chunked()) {
      if (this.#coding === 'encoded') this.#client.write('0\r\n\r\n');
      this.#complete(false);
    } else {
      this.#cut();
    }
  }

  #chunked(): boolean {
    return this.#response?.framing.chunked === true;
  }

  #mayRetry(loss: Loss): boolean {
    if (this.#opening === undefined || this.#attempts >= this.#context.limits.attemptsMax) {
      return false;
    }
    if (loss.unsent) return true;
    return this.#attempts === 1 && idempotentMethods.has(this.#call.head.method);
  }

  #retry(upstream: Upstream | undefined): void {
    this.#attempts++;
    this.#stage = 'parked';
    this.#release(false);
    // The deadline of the call stands; only a place for it is looked for again.
    this.#acquire(upstream);
  }

  #fail(answer: Answer): void {
    const stage = this.#stage;
    if (stage === 'answering' || stage === 'tunnel' || stage === 'over') {
      this.#cut();
      return;
    }
    this.onClientGone();
    this.#client.answer(answer);
  }

  /** Too late for an answer: the client learns by the cut that it is incomplete. */
  #cut(): void {
    this.#stage = 'over';
    this.#release(false);
    this.#client.destroy();
  }

  #release(reusable: boolean): void {
    const upstream = this.#upstream;
    const connection = this.#connection;
    this.#upstream = undefined;
    this.#connection = undefined;
    if (upstream === undefined) return;
    if (connection !== undefined) {
      if (reusable) upstream.giveBack(connection, this.#response?.fields.known.get('keep-alive'));
      else connection.destroy();
    }
    this.#context.activator.backend(this.#call.revisionId).leave(upstream);
  }
}

/** A head and the first part of its body, as one write where that is small. */
function joined(text: string, body: string | Buffer): readonly (string | Buffer)[] {
  return typeof body === 'string' ? [text + body] : [text, body];
}

/** A part of what was read, for as long as it takes to write it: small ones as latin1. */
function owned(chunk: Buffer, from: number, to: number): string | Buffer {
  return to - from <= joinedBodyMax
    ? chunk.toString('latin1', from, to)
    : Buffer.from(chunk.subarray(from, to));
}
