/**
 * One connection of a client: reads requests from it, one at a time, and has each answered.
 *
 * I1. At most one call is in progress; what the client sends beyond its request is held, unread
 *     bytes stay in the socket, and the answers keep the order of the requests. While a policy
 *     decides about a request, so is what the client sends of its body.
 * I2. Exactly one deadline is set: for the header, for the silence between requests, for a policy,
 *     for the call, or for a client that does not read.
 * I3. After an answer that came before the end of its request, a short rest of the request is read
 *     and thrown away; with a long one the connection ends, but not before the client had time to
 *     read the answer.
 */

import { type Answer, renderAnswer } from './answer.ts';
import type { Call, CallShare } from './call.ts';
import type { CallClient, ClientCall } from './client-call.ts';
import type { Expirable } from './deadline-sweep.ts';
import { Exchange, type ExchangeContext } from './exchange.ts';
import type { Caller, CallerOrigin, Scheme, Wire, WireUser } from './fronts/wire.ts';
import { type Body, emptyBody, requestBody } from './http1/body.ts';
import { noBytes } from './http1/head-reader.ts';
import { HeadStream } from './http1/head-stream.ts';
import { Rejection } from './http1/rejection.ts';
import { http2Preface, parseRequestHead, type RequestHead } from './http1/request-head.ts';
import { Reception, type ReceptionContext } from './inner/reception.ts';
import type { ReceivedRequest, Responder } from './inner/responder.ts';
import type { CallRecord } from './metering/call-record.ts';
import type { CallRecords } from './metering/call-records.ts';
import type { Part } from './part.ts';
import { Admission, policyFailed } from './policy/admission.ts';
import type { TrustedProxies } from './policy/client-address.ts';
import { type FieldChanges, withFieldChanges } from './policy/field-changes.ts';
import { withBelievedClaims } from './policy/proxy-claims.ts';
import { withoutParameters } from './policy/query-parameters.ts';
import type { AnswerCoding, Pass, RoutePolicy, Verdict } from './policy/route-policy.ts';
import type { Route } from './route.ts';
import type { Trace, Tracer } from './trace.ts';
import type { MirrorCopy, Mirrors } from './traffic/mirrors.ts';

/**
 * Where a request goes: to a Revision, to whoever answers it in this process, or nowhere, and then
 * with this answer.
 */
export type Destination = (
  | {
      readonly route: Route;
      readonly revisionId: string;
      readonly target: string;
      readonly share: CallShare | undefined;
    }
  | {
      readonly responder: Responder;
      readonly call: ReceivedRequest['call'];
      readonly target: string;
    }
  | { readonly answer: Answer }
) & {
  /** Decides whether it goes there. */
  readonly policy: RoutePolicy | undefined;
  /** What routing changes about the fields. */
  readonly forward?: FieldChanges;
};

/** A request whose head was read. */
interface Arrival {
  readonly head: RequestHead;
  readonly body: Body;
  readonly trace: Trace;
  readonly destination: Destination;
  readonly pass: Pass | undefined;
}

/** Octets from an offset on. */
interface Octets {
  readonly chunk: Buffer;
  readonly from: number;
}

export interface ClientContext extends ExchangeContext, ReceptionContext {
  readonly tracer: Tracer;
  readonly trustedProxies: TrustedProxies;
  readonly records: CallRecords | undefined;
  readonly resolve: (head: RequestHead, client: CallerOrigin) => Destination;
  readonly mirrors: Mirrors;
  /** The Gateway answers by itself. */
  readonly onOwnAnswer: (answer: Answer) => void;
  /** The connection is closed. */
  readonly onClosed: (connection: ClientConnection) => void;
}

export class ClientConnection implements CallClient, WireUser, Expirable {
  deadlineMs: number;
  readonly #caller: Caller;
  readonly #wire: Wire;
  readonly #context: ClientContext;
  readonly #heads: HeadStream<RequestHead>;
  #exchange: ClientCall | undefined;
  #head: RequestHead | undefined;
  #trace: Trace | undefined;
  /** The request that waits for its policy. */
  #admission: Admission | undefined;
  #pass: Pass | undefined;
  /** Takes down what becomes of the request, if anybody wants to know. */
  #record: CallRecord | undefined;
  #body: Body = emptyBody;
  /** The copy of the call in progress, while its body is not complete. */
  #copy: MirrorCopy | undefined;
  /** How much of a body was thrown away (I3). */
  #discarded = 0;
  /** Bytes beyond the request in progress (I1). */
  #held: Buffer | undefined;
  #paused = false;
  #consuming = false;
  #lingering = false;
  /** While lingering: until when the client may take to read the rest of its answer. */
  #readByMs = 0;

  constructor(caller: Caller, context: ClientContext) {
    this.#context = context;
    this.#caller = caller;
    const { limits } = context;
    const { headBytesMax, fieldsMax, targetBytesMax } = limits;
    // Room for the method, the version and the blanks besides the target.
    const startLineBytesMax = targetBytesMax + 64;
    this.#heads = new HeadStream({ headBytesMax, fieldsMax, startLineBytesMax }, (head) =>
      parseRequestHead(head, targetBytesMax),
    );
    this.deadlineMs = context.monotonicMs() + limits.headTimeoutMs;
    this.#wire = caller.open(this);
  }

  get remoteAddress(): string {
    return this.#caller.remoteAddress;
  }

  get scheme(): Scheme {
    return this.#caller.scheme;
  }

  onData(chunk: Buffer): void {
    this.#consume(chunk);
  }

  onDrain(): void {
    this.#exchange?.onClientDrain();
  }

  onEnd(): void {
    this.#onGone();
  }

  onClosed(): void {
    this.#onGone();
    this.#context.onClosed(this);
  }

  onDeadline(): void {
    const { limits } = this.#context;
    const nowMs = this.#context.monotonicMs();
    this.deadlineMs = Number.POSITIVE_INFINITY;
    if (this.#exchange !== undefined) {
      this.#exchange.onDeadline();
    } else if (this.#admission !== undefined) {
      this.#endAdmission();
      const message = 'Whether this request may pass could not be decided in time';
      this.answer({ status: 503, code: 'PolicyTimeout', message, retryAfterSeconds: 1 });
    } else if (this.#heads.partial) {
      const message = 'The request header did not arrive in time';
      this.#refuse({ status: 408, code: 'HeaderTimeout', message });
    } else if (this.#lingering && this.#wire.pending && nowMs < this.#readByMs) {
      this.deadlineMs = nowMs + limits.lingerMs;
    } else {
      this.#wire.destroy();
    }
  }

  /** The Gateway closes: a connection ends after its call, or soon if it has none. */
  close(): void {
    const isBusy = this.#exchange !== undefined || this.#admission !== undefined;
    if (isBusy || this.#wire.pending || this.#heads.partial) return;
    // A request may be on its way, sent before the client could know; it is the last one.
    const { limits, monotonicMs } = this.#context;
    this.deadlineMs = Math.min(this.deadlineMs, monotonicMs() + limits.partingMs);
  }

  write(part: Part): boolean {
    this.#record?.onWritten(part, this.#context.monotonicMs());
    return this.#wire.write(part);
  }

  pauseReading(): void {
    this.#paused = true;
    this.#wire.pause();
  }

  resumeReading(): void {
    if (!this.#paused || this.#held !== undefined) return;
    this.#paused = false;
    this.#wire.resume();
  }

  setDeadline(deadlineMs: number): void {
    this.deadlineMs = deadlineMs;
  }

  onSwitched(): void {
    this.#consumeHeld();
  }

  finish(keepAlive: boolean, nowMs: number): void {
    this.#exchange = undefined;
    if (this.#record !== undefined) this.#log(true);
    // Its answer may have begun before the Gateway was told to close.
    if (!keepAlive || this.#context.closing()) {
      this.end();
      return;
    }
    const { limits } = this.#context;
    // A body that is not complete yet counts as lingering (I3), not as silence between requests.
    const patienceMs = this.#body.done ? limits.idleTimeoutMs : limits.lingerMs;
    this.deadlineMs = nowMs + patienceMs;
    this.#consumeHeld();
  }

  answer(answer: Answer): void {
    const keepAlive = this.#keepsAfterAnswer();
    this.write(this.#render(answer, keepAlive));
    this.finish(keepAlive, this.#context.monotonicMs());
  }

  end(): void {
    this.#exchange = undefined;
    this.#log(true);
    this.#lingering = true;
    this.#held = undefined;
    const { limits } = this.#context;
    const nowMs = this.#context.monotonicMs();
    this.deadlineMs = nowMs + limits.lingerMs;
    this.#readByMs = nowMs + limits.stallTimeoutMs;
    this.#wire.end();
    this.resumeReading();
  }

  destroy(): void {
    // As much of an answer as there was: an event that came before the cut is still one. To
    // HTTP/1.0 the end of the connection may be that of the answer (RFC 9112 §8).
    if (this.#head?.version === '1.0') this.#wire.reset();
    else this.#wire.destroy();
    this.#onGone();
  }

  #consume(chunk: Buffer, start = 0): void {
    this.#consuming = true;
    let from = start;
    while (from < chunk.length && !this.#lingering && !this.#wire.destroyed) {
      if (this.#admission !== undefined) {
        this.#hold(from === 0 ? chunk : chunk.subarray(from));
        break;
      } else if (!this.#body.done) {
        from = this.#readBody(chunk, from);
      } else if (this.#exchange === undefined) {
        from = this.#readHead(chunk, from);
      } else {
        const rest = from === 0 ? chunk : chunk.subarray(from);
        if (this.#exchange.tunnelling) this.#exchange.onClientData(rest);
        else this.#hold(rest);
        break;
      }
    }
    this.#consuming = false;
  }

  #hold(rest: Buffer): void {
    this.#held = Buffer.concat(this.#held === undefined ? [rest] : [this.#held, rest]);
    this.pauseReading();
  }

  /** Goes on with what was held back, if this is not the loop that will do so anyway. */
  #consumeHeld(): void {
    const held = this.#held;
    this.#held = undefined;
    this.resumeReading();
    if (held !== undefined && !this.#consuming) this.#consume(held);
  }

  #readBody(chunk: Buffer, from: number): number {
    const to = this.#body.advance(chunk, from);
    if (to < 0) {
      if (this.#exchange === undefined) this.destroy();
      else this.#exchange.onBrokenBody();
      return chunk.length;
    }
    this.#copy?.add(chunk, from, to);
    if (this.#exchange === undefined) {
      this.#discarded += to - from;
      if (this.#discarded > this.#context.limits.discardBytesMax) this.end();
      else if (this.#body.done) this.#awaitRequest();
    } else {
      this.#exchange.onClientData(
        from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to),
      );
    }
    return to;
  }

  #awaitRequest(): void {
    this.deadlineMs = this.#context.monotonicMs() + this.#context.limits.idleTimeoutMs;
  }

  #readHead(chunk: Buffer, from: number): number {
    const { limits, monotonicMs } = this.#context;
    const begun = this.#heads.partial;
    const head = this.#heads.read(chunk, from);
    if (head === undefined) {
      if (!begun) this.deadlineMs = monotonicMs() + limits.headTimeoutMs;
      return chunk.length;
    }
    if (head instanceof Rejection) {
      if (head === http2Preface && this.#leave(chunk.subarray(this.#heads.end))) {
        return chunk.length;
      }
      const message = `Cannot read the request: ${head.message}`;
      this.#refuse({ status: head.status, code: 'BadRequest', message });
      return chunk.length;
    }
    return this.#start(head, chunk, this.#heads.end);
  }

  /** Leaves a client whose first words are HTTP/2 to whoever let it in. */
  #leave(rest: Buffer): boolean {
    if (this.#head !== undefined || this.#caller.onHttp2 === undefined) return false;
    this.#lingering = true;
    this.#context.onClosed(this);
    this.#caller.onHttp2(rest);
    return true;
  }

  /** Starts the call of a complete head; returns where its body goes on. */
  #start(read: RequestHead, chunk: Buffer, from: number): number {
    const context = this.#context;
    const head = withBelievedClaims(read, this.#caller, context.trustedProxies);
    const body = requestBody(head.framing);
    const trace = context.tracer.trace(head.fields.known);
    this.#head = head;
    this.#body = body;
    this.#trace = trace;
    this.#discarded = 0;
    this.#pass = undefined;
    this.#record = context.records?.begin(head, trace, this.#caller);
    const destination = context.resolve(head, this.#caller);
    const { policy } = destination;
    const request = { head, body, trace, destination, pass: undefined };
    if (policy === undefined) return this.#enter(request, chunk, from);
    return this.#ask(policy, request, { chunk, from });
  }

  /** Asks the policy of a route; returns where the octets go on. */
  #ask(policy: RoutePolicy, request: Arrival, rest: Octets): number {
    const { monotonicMs, limits, trustedProxies: trusted } = this.#context;
    const admission = new Admission(request.head, this.remoteAddress, trusted);
    const verdict = admission.ask(policy);
    if (!(verdict instanceof Promise)) return this.#judge(request, verdict, rest);
    this.#admission = admission;
    this.deadlineMs = monotonicMs() + limits.admissionMs;
    verdict.then(
      (late) => this.#onVerdict(admission, request, late),
      () => this.#onVerdict(admission, request, policyFailed),
    );
    return rest.from;
  }

  /** Goes on with a request that waited for its policy, if it still does. */
  #onVerdict(admission: Admission, request: Arrival, verdict: Verdict): void {
    if (this.#admission !== admission) return;
    this.#admission = undefined;
    const held = this.#held ?? noBytes;
    this.#held = undefined;
    this.resumeReading();
    this.#consuming = true;
    const from = this.#judge(request, verdict, { chunk: held, from: 0 });
    this.#consume(held, from);
  }

  #judge(request: Arrival, verdict: Verdict, rest: Octets): number {
    if (verdict.kind === 'refusal') {
      this.answer(verdict.answer);
      return rest.from;
    }
    this.#pass = verdict;
    this.#record?.onAdmitted(verdict.consumer);
    const { forward } = verdict;
    const head = forward === undefined ? request.head : withFieldChanges(request.head, forward);
    return this.#enter({ ...request, head, pass: verdict }, rest.chunk, rest.from);
  }

  /** Starts the call of a request that may go where it goes; returns where its body goes on. */
  #enter(request: Arrival, chunk: Buffer, from: number): number {
    const { destination, body, trace, pass } = request;
    if ('answer' in destination) {
      this.answer(destination.answer);
      return from;
    }
    const to = body.advance(chunk, from);
    if (to < 0) {
      this.#refuse({ status: 400, code: 'BadRequest', message: 'Cannot read the request body' });
      return chunk.length;
    }
    const arrivedMs = this.#context.monotonicMs();
    const { forward } = destination;
    const head = forward === undefined ? request.head : withFieldChanges(request.head, forward);
    const target = withoutParameters(destination.target, pass?.withoutParameters);
    if ('responder' in destination) {
      const { responder, call } = destination;
      const received = { head, trace, pass, responder, call, target };
      this.#exchange = new Reception(received, this, this.#context);
      this.#exchange.begin(chunk, from, to);
      return to;
    }
    const { route, revisionId, share } = destination;
    const record = this.#record;
    record?.onRouted(route, revisionId);
    const call = { head, body, trace, route, revisionId, target, pass, record, arrivedMs, share };
    this.#exchange =
      pass?.coding === undefined
        ? new Exchange(call, this, this.#context)
        : this.#startCoded(call, pass.coding);
    this.#exchange.begin(chunk, from, to);
    if (share?.mirror !== undefined) {
      this.#copy = this.#context.mirrors.begin(call, share.mirror, this);
      this.#copy?.add(chunk, from, to);
    }
    return to;
  }

  #startCoded(call: Call, coding: AnswerCoding): ClientCall {
    return coding.between(call.head, this, (client) => new Exchange(call, client, this.#context));
  }

  /** Answers something that is not a request; nothing after it can be trusted. */
  #refuse(answer: Answer): void {
    this.#head = undefined;
    this.#pass = undefined;
    this.#trace = undefined;
    this.write(this.#render(answer, false));
    this.end();
  }

  #keepsAfterAnswer(): boolean {
    const head = this.#head;
    if (head?.keepAlive !== true || this.#context.closing()) return false;
    if (this.#body.done) return true;
    // A client that waits for 100 may or may not send its body after another answer.
    const missing = head.framing.contentLength - this.#body.contentBytes;
    const { discardBytesMax } = this.#context.limits;
    return !head.expectsContinue && !head.framing.chunked && missing <= discardBytesMax;
  }

  #render(answer: Answer, keepAlive: boolean): Buffer {
    this.#context.onOwnAnswer(answer);
    const head = this.#head;
    const fields = [...(answer.fields ?? []), ...(this.#pass?.answer?.add ?? [])];
    return renderAnswer(
      { ...answer, fields },
      {
        requestId: this.#trace?.requestId ?? this.#context.tracer.trace(new Map()).requestId,
        accept: head?.fields.known.get('accept'),
        keepAlive,
        legacy: head?.version === '1.0',
        headOnly: head?.method === 'HEAD',
      },
    );
  }

  #log(complete: boolean): void {
    const record = this.#record;
    this.#record = undefined;
    if (record === undefined) return;
    this.#context.records?.end(record, this.#body.contentBytes, complete);
  }

  #onGone(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#log(false);
    this.#copy?.abandon();
    exchange?.onClientGone();
    this.#endAdmission();
    // While lingering our own end of the connection may still have something to say.
    if (!this.#lingering) this.#wire.destroy();
  }

  #endAdmission(): void {
    this.#admission?.giveUp();
    this.#admission = undefined;
  }
}
