/**
 * One call: a request of a client, forwarded to an Instance, and its answer on the way back.
 *
 * Bytes are relayed as they come, in both directions; nothing waits for a whole body. What the
 * client does not read, we do not read from the Instance, and the other way round.
 *
 * I1. The call is parked, or it holds exactly one entered upstream, or it is over. Parked, it may
 *     have been sent ahead, once, if it may be sent twice at all.
 * I2. The client gets exactly one final answer, or its connection is cut after that began.
 * I3. A call is tried again only as `mayRetry` says, and with all that was sent before.
 */
import type { Activator } from './activator.ts';
import { AheadRequest } from './ahead-request.ts';
import type { Answer } from './answer.ts';
import { AnswerRelay } from './answer-relay.ts';
import type { Backend, Waiter } from './backend.ts';
import type { Call, CallClient } from './call.ts';
import { forwardedRequest, interimResponse, switchingResponse } from './forwarding.ts';
import { Rejection } from './http1/rejection.ts';
import type { ResponseHead } from './http1/response-head.ts';
import type { GatewayLimits } from './limits.ts';
import { appendPart, copyPart, type Part } from './part.ts';
import { isIdempotent, mayRetry } from './retry.ts';
import type { Outage } from './route.ts';
import type { Upstream } from './upstream.ts';
import type { Loss, UpstreamConnection, UpstreamUser } from './upstream-connection.ts';

export interface ExchangeContext {
  readonly activator: Activator;
  readonly limits: GatewayLimits;
  readonly monotonicMs: () => number;
  /** See `GatewayOptions`. */
  readonly onUnresponsive: (revisionId: string, endpointId: string) => void;
  /** Whether connections should end after the call in progress. */
  readonly closing: () => boolean;
}

export class Exchange implements Waiter, UpstreamUser {
  readonly concurrencyLimit: number;
  readonly #call: Call;
  readonly #client: CallClient;
  readonly #context: ExchangeContext;
  #stage: 'parked' | 'sent' | 'answering' | 'tunnel' | 'over' = 'parked';
  #backend: Backend;
  #upstream: Upstream | undefined;
  #connection: UpstreamConnection | undefined;
  /** What was sent first, as long as it is all that was sent (I3). */
  #opening: readonly Part[] | undefined;
  #ahead: AheadRequest | undefined;
  #attempts = 1;
  #sentMs = 0;
  #interimAnswers = 0;
  #relay: AnswerRelay | undefined;
  #wokenAfterMs: number | undefined;
  #woken = false;
  /** Whether the client does not read what is ready for it. */
  #stalled = false;

  constructor(call: Call, client: CallClient, context: ExchangeContext) {
    this.#call = call;
    this.#client = client;
    this.#context = context;
    this.#backend = context.activator.backend(call.revisionId);
    this.concurrencyLimit = call.route.concurrencyLimit;
  }

  /** Whether the connection now carries another protocol. */
  get tunnelling(): boolean {
    return this.#stage === 'tunnel';
  }

  /** Starts the call with the part of its body that came together with its head. */
  begin(chunk: Buffer, from: number, to: number): void {
    const { head, target, trace, arrivedMs } = this.#call;
    if (!this.#acceptsBody()) return;
    const { remoteAddress } = this.#client;
    const opening: Part[] = [forwardedRequest({ head, target, remoteAddress, trace })];
    if (to > from) appendPart(opening, copyPart(chunk, from, to));
    this.#opening = opening;
    this.#acquire(undefined, arrivedMs);
  }

  /** More bytes of the client: of its body, or of the other protocol. */
  onClientData(chunk: Buffer): void {
    if (this.#stage !== 'tunnel' && !this.#acceptsBody()) return;
    this.#opening = undefined;
    const sent = this.#connection?.write(copyPart(chunk, 0, chunk.length));
    if (sent === false) this.#client.pauseReading();
  }

  /** The body is not what its framing said. */
  onBrokenBody(): void {
    const message = 'Cannot read the request body: a chunk is broken';
    this.#fail({ status: 400, code: 'BadRequest', message });
  }

  onClientDrain(): void {
    if (this.#stage !== 'answering' && this.#stage !== 'tunnel') return;
    this.#stalled = false;
    this.#awaitMore(this.#context.monotonicMs());
    this.#connection?.resume();
  }

  /** The client is gone: so is the call, and the function's signal aborts. */
  onClientGone(): void {
    if (this.#stage === 'parked') this.#backend.cancel(this);
    this.#end();
  }

  onDeadline(): void {
    const { timeoutMs } = this.#call.route;
    if (this.#stage === 'parked') {
      const waitedMs = this.#patienceEndMs - this.#call.arrivedMs;
      const message = `No Instance was ready within ${waitedMs} ms`;
      this.#fail({ status: 504, code: 'CallTimeout', message });
    } else if (this.#stage === 'sent') {
      const message = `The Instance did not answer within ${timeoutMs} ms`;
      this.#reportSilence();
      this.#fail({ status: 504, code: 'CallTimeout', message });
    } else {
      if (!this.#stalled) this.#reportSilence();
      this.#cut();
    }
  }

  onUpstream(upstream: Upstream): void {
    const nowMs = this.#context.monotonicMs();
    if (this.#woken) this.#wokenAfterMs = nowMs - this.#call.arrivedMs;
    this.#dispatch(upstream, nowMs);
    if (!this.#call.body.done) this.#client.resumeReading();
  }

  onStarting(upstream: Upstream): void {
    const { head, body } = this.#call;
    const opening = body.done && head.upgrade === undefined ? this.#opening : undefined;
    const isFirst = this.#ahead === undefined && this.#attempts === 1;
    if (opening === undefined || !isFirst || !isIdempotent(head.method)) return;
    const connection = upstream.takeAhead(this.#context.monotonicMs());
    if (connection !== undefined) this.#ahead = new AheadRequest(upstream, connection, opening);
  }

  onOutage({ reason, message }: Outage, untilMs: number): void {
    if (untilMs <= this.#patienceEndMs) return;
    const leftMs = untilMs - this.#context.monotonicMs();
    const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000));
    this.#fail({ status: 503, code: reason, message, retryAfterSeconds });
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
    if (from === chunk.length) return;
    if (this.#relay !== undefined && this.#stage === 'answering') {
      this.#relayBody(this.#relay, chunk, from);
    } else if (this.#stage === 'tunnel') {
      this.#toClient(copyPart(chunk, from, chunk.length));
    }
  }

  onUpstreamLost(loss: Loss): void {
    const upstream = this.#upstream;
    const broken = this.#connection?.heads.partial === true || this.#interimAnswers > 0;
    this.#connection = undefined;
    if (loss.refused && upstream !== undefined) this.#backend.eject(upstream);
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

  #acquire(except: Upstream | undefined, nowMs: number): void {
    const { activator } = this.#context;
    const { revisionId } = this.#call;
    // Between two attempts nothing may have held the backend, and it was forgotten.
    this.#backend = activator.backend(revisionId);
    this.#woken ||= !this.#backend.hasUpstreams;
    const again = this.#attempts > 1;
    this.#client.setDeadline(this.#patienceEndMs);
    const found = activator.acquire(this.#backend, { waiter: this, except, again, nowMs });
    if (found === 'full') {
      this.#stage = 'over';
      const message = 'Too many calls wait for this function already';
      this.#client.answer({ status: 503, code: 'QueueFull', message, retryAfterSeconds: 1 });
    } else if (found === 'parked') {
      // It may have been served already, while it was being parked.
      if (this.#stage === 'parked' && !this.#call.body.done) this.#client.pauseReading();
    } else {
      this.#dispatch(found, nowMs);
    }
  }

  #dispatch(upstream: Upstream, nowMs: number): void {
    const { route } = this.#call;
    const ahead = this.#takeAhead(upstream);
    const connection = ahead?.connection ?? upstream.takeConnection(nowMs);
    this.#upstream = upstream;
    this.#connection = connection;
    this.#stage = 'sent';
    this.#sentMs = nowMs;
    const answerDueMs = Math.min(nowMs + route.timeoutMs, this.#patienceEndMs);
    this.#client.setDeadline(answerDueMs + this.#context.limits.answerGraceMs);
    if (ahead === undefined) this.#send(connection);
    else ahead.handOver(this);
  }

  /** What was sent ahead to `upstream`; what went elsewhere, or was lost, was an attempt. */
  #takeAhead(upstream: Upstream): AheadRequest | undefined {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead === undefined || (ahead.upstream === upstream && !ahead.lost)) return ahead;
    ahead.drop();
    this.#attempts++;
    return undefined;
  }

  #send(connection: UpstreamConnection): void {
    connection.assign(this);
    for (const part of this.#opening ?? []) {
      if (!connection.write(part) && !this.#call.body.done) this.#client.pauseReading();
    }
  }

  /** When (monotonic) the call is over, however often it was tried and wherever it waits. */
  get #patienceEndMs(): number {
    const { arrivedMs, route } = this.#call;
    return arrivedMs + route.timeoutMs + route.wakeMs;
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
    const heads = this.#connection?.heads;
    const response = heads?.read(chunk, from);
    if (heads === undefined || response === undefined) return undefined;
    if (response instanceof Rejection) return this.#refuse(response.message);
    if (response.status >= 200) {
      this.#startAnswer(response, chunk, heads.end);
      return undefined;
    }
    if (this.#upstream !== undefined) this.#upstream.heardMs = this.#context.monotonicMs();
    if (response.status === 101) return this.#startTunnel(response, heads.end);
    return this.#passInterim(response, heads.end);
  }

  #startTunnel(response: ResponseHead, from: number): number | undefined {
    if (this.#call.head.upgrade === undefined) return this.#refuse('it changes the protocol');
    this.#stage = 'tunnel';
    this.#client.setDeadline(Number.POSITIVE_INFINITY);
    this.#toClient(switchingResponse(response, this.#call.trace.requestId));
    this.#client.onSwitched();
    return from;
  }

  #passInterim(response: ResponseHead, from: number): number | undefined {
    this.#interimAnswers++;
    if (this.#interimAnswers > this.#context.limits.interimAnswersMax) {
      return this.#refuse('there are too many interim answers');
    }
    if (this.#call.head.version === '1.1') this.#client.write(interimResponse(response));
    return from;
  }

  #refuse(what: string): undefined {
    const message = `The Instance sent a broken answer: ${what}`;
    this.#fail({ status: 502, code: 'InstanceBroken', message });
    return undefined;
  }

  #startAnswer(response: ResponseHead, chunk: Buffer, from: number): void {
    const { head, trace } = this.#call;
    const relay = new AnswerRelay(response, head, this.#context.closing());
    const parts: Part[] = [relay.head(trace.requestId, this.#wokenAfterMs)];
    const to = relay.take(chunk, from, parts);
    if (to < 0) {
      this.#refuse('its body is broken');
      return;
    }
    const nowMs = this.#context.monotonicMs();
    this.#stage = 'answering';
    this.#relay = relay;
    this.#awaitMore(nowMs);
    for (const part of parts) this.#toClient(part);
    if (relay.done) this.#complete(relay, to === chunk.length, nowMs);
  }

  #relayBody(relay: AnswerRelay, chunk: Buffer, from: number): void {
    const parts: Part[] = [];
    const to = relay.take(chunk, from, parts);
    if (to < 0) {
      this.#cut();
      return;
    }
    const nowMs = this.#context.monotonicMs();
    this.#awaitMore(nowMs);
    for (const part of parts) this.#toClient(part);
    if (relay.done) this.#complete(relay, to === chunk.length, nowMs);
  }

  // The Runner itself ends an answer that is silent, after twice the timeout at the latest
  // (decision 010). One that did not is stuck, and its client would wait for ever.
  #awaitMore(nowMs: number): void {
    if (this.#upstream !== undefined) this.#upstream.heardMs = nowMs;
    const silenceMs = 2 * this.#call.route.timeoutMs + this.#context.limits.answerGraceMs;
    const endless = this.#stage === 'tunnel';
    this.#client.setDeadline(endless ? Number.POSITIVE_INFINITY : nowMs + silenceMs);
  }

  #toClient(part: Part): void {
    if (this.#client.write(part)) return;
    this.#stalled = true;
    this.#connection?.pause();
    this.#client.setDeadline(this.#context.monotonicMs() + this.#context.limits.stallTimeoutMs);
  }

  /** `clean`: the Instance sent nothing beyond its answer. */
  #complete(relay: AnswerRelay, clean: boolean, nowMs: number): void {
    const connection = this.#connection;
    if (connection !== undefined && clean && this.#call.body.done && relay.reusable) {
      this.#connection = undefined;
      this.#upstream?.giveBack(connection, relay.promise, nowMs);
    }
    this.#end(nowMs);
    this.#client.finish(relay.keepAlive, nowMs);
  }

  #endOfAnswer(loss: Loss): void {
    const relay = this.#relay;
    if (this.#stage === 'tunnel') {
      this.#end();
      this.#client.end();
    } else if (loss.ended && relay?.lastsUntilEnd === true) {
      this.#client.write(relay.end());
      this.#complete(relay, false, this.#context.monotonicMs());
    } else {
      this.#cut();
    }
  }

  #mayRetry(loss: Loss): boolean {
    if (this.#opening === undefined) return false;
    const { attemptsMax } = this.#context.limits;
    const { method } = this.#call.head;
    return mayRetry({ loss, method, attempts: this.#attempts, attemptsMax });
  }

  #retry(upstream: Upstream | undefined): void {
    const nowMs = this.#context.monotonicMs();
    this.#attempts++;
    this.#leave(nowMs);
    this.#stage = 'parked';
    // The deadline of the call stands; only a place for it is looked for again.
    this.#acquire(upstream, nowMs);
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
    this.#end();
    this.#client.destroy();
  }

  /** The call is over; a connection that was not given back is of no more use. */
  #end(nowMs: number = this.#context.monotonicMs()): void {
    this.#stage = 'over';
    this.#ahead?.drop();
    this.#ahead = undefined;
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#leave(nowMs);
  }

  #leave(nowMs: number): void {
    const upstream = this.#upstream;
    this.#upstream = undefined;
    if (upstream !== undefined) this.#backend.leave(upstream, nowMs);
  }
}
