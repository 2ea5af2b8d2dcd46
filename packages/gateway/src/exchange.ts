/**
 * One call: a request of a client, and all that is tried so that it is answered.
 *
 * I1. The call is parked, or it has exactly one attempt at an entered upstream, or it is over.
 *     Parked, it may have been sent ahead, once, if it may be sent twice at all.
 * I2. The client gets exactly one final answer, or its connection is cut after that began.
 * I3. A call is tried again only as `mayRetry` says, and with all that was sent before.
 */
import type { Activator } from './activator.ts';
import { type Affinity, affinityField, readAffinity } from './affinity.ts';
import { AheadRequest } from './ahead-request.ts';
import type { Answer } from './answer.ts';
import { Attempt, type AttemptContext, type AttemptOwner } from './attempt.ts';
import type { Backend, Waiter } from './backend.ts';
import type { Call } from './call.ts';
import type { CallClient, ClientCall } from './client-call.ts';
import { forwardedRequest } from './forwarding.ts';
import type { ResponseHead } from './http1/response-head.ts';
import type { RevisionMeter } from './metering/revision-meter.ts';
import { appendPart, copyPart, type Part } from './part.ts';
import { isIdempotent, mayRetry } from './retry.ts';
import type { Outage } from './route.ts';
import type { Upstream } from './upstream.ts';
import type { Loss } from './upstream-connection.ts';

export interface ExchangeContext extends AttemptContext {
  readonly activator: Activator;
  /** See `GatewayOptions`. */
  readonly onUnresponsive: (revisionId: string, endpointId: string) => void;
}

export class Exchange implements ClientCall, Waiter, AttemptOwner {
  readonly call: Call;
  readonly client: CallClient;
  readonly context: ExchangeContext;
  readonly concurrencyLimit: number;
  readonly concurrencyTarget: number;
  wokenAfterMs: number | undefined;
  #stage: 'parked' | 'placed' | 'over' = 'parked';
  #backend: Backend;
  #attempt: Attempt | undefined;
  /** What was sent first, as long as it is all that was sent (I3). */
  #opening: readonly Part[] | undefined;
  #ahead: AheadRequest | undefined;
  #attempts = 1;
  #reached = false;
  #woken = false;
  #wakeTimes: ReturnType<Backend['wakeTimes']> | undefined;
  readonly #affinity: Affinity | undefined;

  constructor(call: Call, client: CallClient, context: ExchangeContext) {
    this.call = call;
    this.client = client;
    this.context = context;
    this.#backend = context.activator.backend(call.revisionId);
    this.concurrencyLimit = call.route.concurrencyLimit;
    this.concurrencyTarget = call.route.concurrencyTarget;
    const { affinity } = call.route;
    if (affinity !== undefined) {
      this.#affinity = readAffinity(affinity, call.head, call.trace.requestId);
    }
  }

  get meter(): RevisionMeter {
    return this.#backend.meter(this.call.route);
  }

  /** Whether an Instance may have had it. */
  get reached(): boolean {
    return this.#reached;
  }

  get affinity(): number | undefined {
    return this.#affinity?.key;
  }

  fieldsBeside(answer: ResponseHead): string | undefined {
    const own = this.call.share?.answerFields;
    if (this.#affinity === undefined) return own;
    return `${own ?? ''}${affinityField(this.#affinity, answer)}`;
  }

  /** Whether the connection now carries another protocol. */
  get tunnelling(): boolean {
    return this.#attempt?.tunnelling === true;
  }

  /** Starts the call with the part of its body that came together with its head. */
  begin(chunk: Buffer, from: number, to: number): void {
    const { head, target, trace, arrivedMs } = this.call;
    if (!this.#acceptsBody()) return;
    const { client } = this;
    const opening: Part[] = [forwardedRequest({ head, target, client, trace })];
    if (to > from) appendPart(opening, copyPart(chunk, from, to));
    this.#opening = opening;
    // Counted from its first call on, so that those that wait are seen.
    this.#backend.meter(this.call.route);
    this.#acquire(undefined, arrivedMs);
  }

  /** More bytes of the client: of its body, or of the other protocol. */
  onClientData(chunk: Buffer): void {
    if (!this.tunnelling && !this.#acceptsBody()) return;
    this.#opening = undefined;
    if (this.#attempt?.write(copyPart(chunk, 0, chunk.length)) === false) {
      this.client.pauseReading();
    }
  }

  /** The body is not what its framing said. */
  onBrokenBody(): void {
    const message = 'Cannot read the request body: a chunk is broken';
    this.#fail({ status: 400, code: 'BadRequest', message });
  }

  onClientDrain(): void {
    this.#attempt?.onClientDrain();
  }

  /** The client is gone: so is the call, and the function's signal aborts. */
  onClientGone(): void {
    if (this.#stage === 'parked') this.#backend.cancel(this);
    this.#end();
  }

  onDeadline(): void {
    const { timeoutMs } = this.call.route;
    const attempt = this.#attempt;
    if (attempt === undefined) {
      const waitedMs = this.#patienceEndMs - this.call.arrivedMs;
      const message = `No Instance was ready within ${waitedMs} ms`;
      this.#fail({ status: 504, code: 'CallTimeout', message });
    } else if (attempt.ending) {
      if (attempt.tunnelling) this.onTunnelEnd();
      else this.onCut();
    } else {
      if (!attempt.stalled) this.#reportSilence(attempt);
      const message = `The Instance did not answer within ${timeoutMs} ms`;
      this.#fail({ status: 504, code: 'CallTimeout', message });
    }
  }

  onUpstream(upstream: Upstream): void {
    const nowMs = this.context.monotonicMs();
    const waitedMs = nowMs - this.call.arrivedMs;
    if (this.#woken) {
      this.wokenAfterMs = waitedMs;
      this.#wakeTimes = this.#backend.wakeTimes(upstream);
    }
    this.meter.onPlaced(waitedMs);
    this.#dispatch(upstream, nowMs);
    if (!this.call.body.done) this.client.resumeReading();
  }

  onStarting(upstream: Upstream): void {
    const { head, body } = this.call;
    const opening = body.done && head.upgrade === undefined ? this.#opening : undefined;
    const isFirst = this.#ahead === undefined && this.#attempts === 1;
    if (opening === undefined || !isFirst || !isIdempotent(head.method)) return;
    const connection = upstream.takeAhead(this.context.monotonicMs());
    if (connection === undefined) return;
    this.#reached = true;
    this.#ahead = new AheadRequest(upstream, connection, opening);
  }

  onOutage({ reason, message }: Outage, untilMs: number): void {
    if (untilMs <= this.#patienceEndMs) return;
    const leftMs = untilMs - this.context.monotonicMs();
    const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000));
    this.#fail({ status: 503, code: reason, message, retryAfterSeconds });
  }

  onGone(): void {
    const { namespace, function: name } = this.call.route;
    const message = `Function ${namespace}/${name} was deleted before it was awake`;
    this.#fail({ status: 503, code: 'FunctionNotFound', message, retryAfterSeconds: 5 });
  }

  onAnswer(status: number, answeredMs: number): void {
    const { share, arrivedMs, record } = this.call;
    const { meter } = this;
    const durationMs = answeredMs - arrivedMs;
    share?.meter.onAnswer(status, durationMs);
    meter.onAnswer(status, durationMs);
    const times = this.#wakeTimes;
    if (times === undefined) return;
    const whole = { ...times, arrivedMs, answeredMs };
    meter.onColdStart(whole);
    record?.onColdStart(whole);
  }

  onAnswered(keepAlive: boolean, nowMs: number): void {
    if (this.#attempt !== undefined) this.#backend.countServed(nowMs - this.#attempt.sentMs);
    this.#end(nowMs);
    this.client.finish(keepAlive, nowMs);
  }

  onBroken(what: string): void {
    const message = `The Instance sent a broken answer: ${what}`;
    this.#fail({ status: 502, code: 'InstanceBroken', message });
  }

  /** Too late for an answer: the client learns by the cut that it is incomplete. */
  onCut(): void {
    this.meter.onCut();
    this.#end();
    this.client.destroy();
  }

  onTunnelEnd(): void {
    this.#end();
    this.client.end();
  }

  onLost(loss: Loss, begun: boolean): void {
    const upstream = this.#attempt?.upstream;
    if (!begun && this.#mayRetry(loss)) this.#retry(upstream);
    else {
      const message = 'The Instance went away before it answered';
      this.#fail({ status: 502, code: 'InstanceGone', message });
    }
  }

  // A Runner answers 408 when a call's time is over. One that did not, though it had the call for
  // all that time, and that answered nobody else meanwhile, is not slow: its thread is stuck.
  #reportSilence({ upstream, silentSinceMs }: Attempt): void {
    const { revisionId, route } = this.call;
    const nowMs = this.context.monotonicMs();
    const silentMs = nowMs - silentSinceMs;
    upstream.onFailure(nowMs, false);
    if (silentMs > route.timeoutMs) this.context.onUnresponsive(revisionId, upstream.endpoint.id);
  }

  #acquire(except: Upstream | undefined, nowMs: number): void {
    const { activator } = this.context;
    const { revisionId } = this.call;
    // Between two attempts nothing may have held the backend, and it was forgotten.
    this.#backend = activator.backend(revisionId);
    this.#woken ||= !this.#backend.hasUpstreams;
    const again = this.#attempts > 1;
    this.client.setDeadline(this.#patienceEndMs);
    const found = activator.acquire(this.#backend, { waiter: this, except, again, nowMs });
    if (found === 'full') {
      this.#stage = 'over';
      const message = 'Too many calls wait for this function already';
      this.#answer({ status: 503, code: 'QueueFull', message, retryAfterSeconds: 1 });
    } else if (found === 'parked') {
      // It may have been served already, while it was being parked.
      if (this.#stage === 'parked' && !this.call.body.done) this.client.pauseReading();
    } else {
      this.#dispatch(found, nowMs);
    }
  }

  #dispatch(upstream: Upstream, nowMs: number): void {
    const answerDueMs = Math.min(nowMs + this.call.route.timeoutMs, this.#patienceEndMs);
    const ahead = this.#takeAhead(upstream);
    const attempt = new Attempt(upstream, this, nowMs);
    this.#stage = 'placed';
    this.#reached = true;
    this.#attempt = attempt;
    this.client.setDeadline(answerDueMs + this.context.limits.answerGraceMs);
    this.call.record?.onSent(nowMs, this.wokenAfterMs);
    attempt.begin(this.#opening ?? [], ahead);
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

  /** When (monotonic) the call is over, however often it was tried and wherever it waits. */
  get #patienceEndMs(): number {
    const { arrivedMs, route } = this.call;
    return arrivedMs + route.timeoutMs + route.wakeMs;
  }

  /** Whether the body is small enough so far; otherwise the call is over. */
  #acceptsBody(): boolean {
    const { head, body, route, pass } = this.call;
    const bytes = Math.max(head.framing.contentLength, body.contentBytes);
    const bytesMax = Math.min(route.bodyBytesMax, pass?.bodyBytesMax ?? route.bodyBytesMax);
    if (bytes <= bytesMax) return true;
    const message = `The request body is larger than ${bytesMax} bytes`;
    this.#fail({ status: 413, code: 'BodyTooLarge', message });
    return false;
  }

  #mayRetry(loss: Loss): boolean {
    if (this.#opening === undefined) return false;
    const { attemptsMax } = this.context.limits;
    const { method } = this.call.head;
    if (!mayRetry({ loss, method, attempts: this.#attempts, attemptsMax })) return false;
    // What was not sent was no load either, and costs nothing to send again.
    const isPaid = loss.unsent || this.#backend.payRetry(this.context.monotonicMs());
    this.meter.onRetry(isPaid);
    return isPaid;
  }

  #retry(upstream: Upstream | undefined): void {
    const nowMs = this.context.monotonicMs();
    this.#attempts++;
    this.call.record?.onRetry(nowMs);
    this.#leave(nowMs);
    this.#stage = 'parked';
    // The deadline of the call stands; only a place for it is looked for again.
    this.#acquire(upstream, nowMs);
  }

  #fail(answer: Answer): void {
    if (this.#stage === 'over' || this.#attempt?.answering === true) {
      this.onCut();
      return;
    }
    this.onClientGone();
    this.#answer(answer);
  }

  #answer(answer: Answer): void {
    this.#wakeTimes = undefined;
    this.onAnswer(answer.status, this.context.monotonicMs());
    this.client.answer(answer);
  }

  #end(nowMs: number = this.context.monotonicMs()): void {
    this.#stage = 'over';
    this.#ahead?.drop();
    this.#ahead = undefined;
    this.#leave(nowMs);
  }

  #leave(nowMs: number): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    if (attempt === undefined) return;
    attempt.end();
    this.#backend.leave(attempt.upstream, nowMs);
  }
}
