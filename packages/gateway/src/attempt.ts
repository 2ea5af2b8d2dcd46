/**
 * One attempt of a call: its request at one Instance, and the answer of that Instance on its way
 * to the client.
 *
 * Bytes are relayed as they come; nothing waits for a whole body. What the client does not read, we
 * do not read from the Instance.
 *
 * I1. It has a connection until its answer is complete, until that is lost, or until it is ended.
 * I2. Its owner hears of one end: answered, broken, cut or lost; of none after it ended it itself.
 */
import { unloadedHeader } from '@fnlet/invocation';
import type { AheadRequest } from './ahead-request.ts';
import { AnswerRelay } from './answer-relay.ts';
import type { Call } from './call.ts';
import type { CallClient } from './client-call.ts';
import { interimResponse, switchingResponse } from './forwarding.ts';
import { Rejection } from './http1/rejection.ts';
import type { ResponseHead } from './http1/response-head.ts';
import type { GatewayLimits } from './limits.ts';
import type { Part } from './part.ts';
import { withFieldChanges } from './policy/field-changes.ts';
import { Tunnel } from './tunnel.ts';
import type { Stream, Upstream } from './upstream.ts';
import type { Loss, UpstreamConnection, UpstreamUser } from './upstream-connection.ts';

export interface AttemptContext {
  readonly limits: GatewayLimits;
  readonly monotonicMs: () => number;
  /** Whether connections should end after the call in progress. */
  readonly closing: () => boolean;
}

/** The call that an attempt is made for. */
export interface AttemptOwner {
  readonly call: Call;
  readonly client: CallClient;
  readonly context: AttemptContext;
  /** How long the call waited for an Instance to wake; `undefined` when it did not. */
  readonly wokenAfterMs: number | undefined;
  /** What is added to the fields of an answer, each line with its CRLF. */
  fieldsBeside(answer: ResponseHead): string | undefined;
  /** The final answer begins, or the connection carries another protocol from here on (101). */
  onAnswer(status: number, nowMs: number): void;
  /** The client has all of the answer. */
  onAnswered(keepAlive: boolean, nowMs: number): void;
  /** What the Instance sent is no answer; the client got nothing of it. */
  onBroken(what: string): void;
  /** The answer ends in its middle, and the client has a part of it. */
  onCut(): void;
  /** The other protocol is over. */
  onTunnelEnd(): void;
  /** The connection was lost before the final answer; `begun`: after something else was answered. */
  onLost(loss: Loss, begun: boolean): void;
}

export class Attempt implements Stream, UpstreamUser {
  readonly upstream: Upstream;
  /** When (monotonic) the call was given to its Instance. */
  readonly sentMs: number;
  readonly #owner: AttemptOwner;
  #stage: 'sent' | 'answering' | 'tunnel' | 'over' = 'sent';
  #connection: UpstreamConnection | undefined;
  #interimAnswers = 0;
  #relay: AnswerRelay | undefined;
  #tunnel: Tunnel | undefined;
  /** Whether the answer goes on until somebody ends it. */
  #isStream = false;
  /** Whether it is to end as soon as that can be done properly. */
  #ending = false;
  /** Whether the client does not read what is ready for it. */
  #stalled = false;

  /** `upstream` is entered; whoever owns the attempt leaves it. */
  constructor(upstream: Upstream, owner: AttemptOwner, nowMs: number) {
    this.upstream = upstream;
    this.#owner = owner;
    this.sentMs = nowMs;
  }

  /** Whether the client has a part of the answer, so that it can get no other. */
  get answering(): boolean {
    return this.#stage === 'answering' || this.#stage === 'tunnel';
  }

  /** Whether the connection now carries another protocol. */
  get tunnelling(): boolean {
    return this.#stage === 'tunnel';
  }

  /** Whether what is missing is for the client to read, not for the Instance to send. */
  get stalled(): boolean {
    return this.#stalled;
  }

  /** Whether it was to end, so that what is missing is nobody's fault. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Since when (monotonic) the Instance has said nothing, neither to this call nor to another. */
  get silentSinceMs(): number {
    return Math.max(this.sentMs, this.upstream.heardMs);
  }

  /** Sends what there is of the request, or goes on with what went ahead. */
  begin(opening: readonly Part[], ahead: AheadRequest | undefined): void {
    const connection = ahead?.connection ?? this.upstream.takeConnection(this.sentMs);
    this.#connection = connection;
    if (ahead !== undefined) {
      ahead.handOver(this);
      return;
    }
    const { call, client } = this.#owner;
    connection.assign(this);
    for (const part of opening) {
      if (!connection.write(part) && !call.body.done) client.pauseReading();
    }
  }

  /** More bytes of the client; whether it may send more at once. */
  write(part: Part): boolean {
    return this.#connection?.write(part) !== false;
  }

  onClientDrain(): void {
    if (!this.answering) return;
    this.#stalled = false;
    this.#awaitMore(this.#owner.context.monotonicMs());
    this.#connection?.resume();
  }

  endStream(): void {
    const { client, context } = this.#owner;
    this.#ending = true;
    client.setDeadline(context.monotonicMs() + context.limits.lingerMs);
    this.#endProperly();
  }

  /** Ends it; a connection that was not given back is of no more use. */
  end(): void {
    this.#stage = 'over';
    if (this.#isStream) this.upstream.closeStream(this);
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  onUpstreamDrain(): void {
    this.#owner.client.resumeReading();
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
    } else if (this.#tunnel !== undefined && this.#stage === 'tunnel') {
      this.#toClient(this.#tunnel.take(chunk, from));
      if (this.#ending) this.#endProperly();
    }
  }

  onUpstreamLost(loss: Loss): void {
    const begun = this.#connection?.heads.partial === true || this.#interimAnswers > 0;
    const relay = this.#relay;
    this.#connection = undefined;
    this.#judgeLoss(loss, relay);
    if (this.#stage === 'tunnel') {
      this.#owner.onTunnelEnd();
    } else if (relay === undefined) {
      this.#owner.onLost(loss, begun);
    } else if (loss.ended && relay.lastsUntilEnd) {
      this.#owner.client.write(relay.end());
      this.#complete(relay, false, this.#owner.context.monotonicMs());
    } else {
      this.#owner.call.share?.meter.onCut();
      this.#owner.onCut();
    }
  }

  // An idle connection that the Instance closed says nothing about it.
  #judgeLoss({ ended, refused, unsent }: Loss, relay: AnswerRelay | undefined): void {
    const isFailure = relay === undefined ? refused || !unsent : !(ended && relay.lastsUntilEnd);
    if (!isFailure || this.tunnelling) return;
    this.upstream.onFailure(this.#owner.context.monotonicMs(), refused);
  }

  /** Where the answer goes on after a head; `undefined` when more is needed or the call is over. */
  #readHead(chunk: Buffer, from: number): number | undefined {
    const heads = this.#connection?.heads;
    const response = heads?.read(chunk, from);
    if (heads === undefined || response === undefined) return undefined;
    if (response instanceof Rejection) return this.#refuse(response.message);
    if (response.status === 503 && response.fields.known.has(unloadedHeader)) return this.#leave();
    if (response.status >= 200) {
      this.#startAnswer(response, chunk, heads.end);
      return undefined;
    }
    this.upstream.heardMs = this.#owner.context.monotonicMs();
    if (response.status === 101) return this.#startTunnel(response, heads.end);
    return this.#passInterim(response, heads.end);
  }

  /** The Runner has no code, such as after its process was started anew: it has not taken the call. */
  #leave(): undefined {
    const loss: Loss = { ended: false, refused: true, unsent: true };
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#judgeLoss(loss, undefined);
    this.#owner.onLost(loss, this.#interimAnswers > 0);
  }

  #startTunnel(response: ResponseHead, from: number): number | undefined {
    const { call, client, context } = this.#owner;
    if (call.head.upgrade === undefined) return this.#refuse('it changes the protocol');
    this.#stage = 'tunnel';
    this.#tunnel = new Tunnel(call.head.upgrade);
    const nowMs = context.monotonicMs();
    this.#owner.onAnswer(101, nowMs);
    this.upstream.onSuccess(nowMs);
    client.setDeadline(Number.POSITIVE_INFINITY);
    this.#toClient(switchingResponse(response, call.trace.requestId));
    client.onSwitched();
    this.#goOn();
    return from;
  }

  #passInterim(response: ResponseHead, from: number): number | undefined {
    const { call, client, context } = this.#owner;
    this.#interimAnswers++;
    if (this.#interimAnswers > context.limits.interimAnswersMax) {
      return this.#refuse('there are too many interim answers');
    }
    if (call.head.version === '1.1') client.write(interimResponse(response));
    return from;
  }

  #refuse(what: string): undefined {
    this.upstream.onFailure(this.#owner.context.monotonicMs(), false);
    this.#owner.onBroken(what);
    return undefined;
  }

  #startAnswer(given: ResponseHead, chunk: Buffer, from: number): void {
    const { call, context, wokenAfterMs } = this.#owner;
    const changes = call.pass?.answer;
    const response = changes === undefined ? given : withFieldChanges(given, changes);
    const relay = new AnswerRelay(response, call.head, context.closing());
    const beside = this.#owner.fieldsBeside(response);
    const parts: Part[] = [relay.head(call.trace.requestId, wokenAfterMs, beside)];
    const to = relay.take(chunk, from, parts);
    if (to < 0) {
      this.#refuse('its body is broken');
      return;
    }
    const nowMs = context.monotonicMs();
    this.#owner.onAnswer(response.status, nowMs);
    this.#stage = 'answering';
    this.#relay = relay;
    if (relay.blamesPlace) this.upstream.onFailure(nowMs, false);
    // An answer may stream for hours; that it began is enough for one on trial.
    else if (this.upstream.ejected) this.upstream.onSuccess(nowMs);
    this.#pass(relay, parts, { clean: to === chunk.length, nowMs });
    if (relay.isStream && this.answering) this.#goOn();
  }

  #relayBody(relay: AnswerRelay, chunk: Buffer, from: number): void {
    const parts: Part[] = [];
    const to = relay.take(chunk, from, parts);
    if (to < 0) this.#owner.onCut();
    else {
      const nowMs = this.#owner.context.monotonicMs();
      this.#pass(relay, parts, { clean: to === chunk.length, nowMs });
    }
  }

  #pass(
    relay: AnswerRelay,
    parts: readonly Part[],
    { clean, nowMs }: { readonly clean: boolean; readonly nowMs: number },
  ): void {
    this.#awaitMore(nowMs);
    for (const part of parts) this.#toClient(part);
    if (relay.done) this.#complete(relay, clean, nowMs);
    else if (this.#ending) this.#endProperly();
  }

  #goOn(): void {
    this.#isStream = true;
    this.upstream.openStream(this);
  }

  // An event that is not whole is none for its reader; anything else that is must not seem so.
  #endProperly(): void {
    const { client, context } = this.#owner;
    if (this.#tunnel !== undefined) {
      const goodbye = this.#tunnel.end();
      if (goodbye !== '') client.write(goodbye);
      if (this.#tunnel.endsWithConnection) this.#owner.onTunnelEnd();
    } else if (this.#relay?.mayEnd === true) {
      client.write(this.#relay.end());
      this.#complete(this.#relay, false, context.monotonicMs());
    }
  }

  // The Runner itself ends an answer that is silent, after twice the timeout at the latest
  // (decision 010). One that did not is stuck, and its client would wait for ever.
  #awaitMore(nowMs: number): void {
    const { call, client, context } = this.#owner;
    this.upstream.heardMs = nowMs;
    if (this.#ending) return;
    const silenceMs = 2 * call.route.timeoutMs + context.limits.answerGraceMs;
    client.setDeadline(this.tunnelling ? Number.POSITIVE_INFINITY : nowMs + silenceMs);
  }

  #toClient(part: Part): void {
    const { client, context } = this.#owner;
    if (client.write(part)) return;
    this.#stalled = true;
    this.#connection?.pause();
    if (!this.#ending) client.setDeadline(context.monotonicMs() + context.limits.stallTimeoutMs);
  }

  /** `clean`: the Instance sent nothing beyond its answer. */
  #complete(relay: AnswerRelay, clean: boolean, nowMs: number): void {
    const connection = this.#connection;
    if (connection !== undefined && clean && this.#owner.call.body.done && relay.reusable) {
      this.#connection = undefined;
      this.upstream.giveBack(connection, relay.promise, nowMs);
    }
    if (!relay.blamesPlace) this.upstream.onSuccess(nowMs);
    this.#owner.onAnswered(relay.keepAlive, nowMs);
  }
}
