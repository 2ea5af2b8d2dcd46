import type { Answer } from '../answer.ts';
import type { CallClient, ClientCall } from '../client-call.ts';
import type { RequestHead } from '../http1/request-head.ts';
import type { FieldChanges } from './field-changes.ts';

/**
 * What a route demands of a request before any of it is forwarded, and what it changes about its
 * answer. It decides about the head that routing saw, so that both understand the same.
 */
export interface RoutePolicy {
  /**
   * Asked once per request. A promise holds the request back, its body unread, for
   * `limits.admissionMs` at most; then the client gets 503. A policy that fails is a bug: 500.
   */
  admit(request: PolicyRequest): Verdict | Promise<Verdict>;
}

/** A request that asks to be let through. */
export interface PolicyRequest {
  readonly head: RequestHead;
  /** The client's own, where proxies before the Gateway are trusted to tell it. */
  readonly clientAddress: string;
  /** Aborts when nobody waits for the verdict any more. Made when it is asked for. */
  readonly signal: AbortSignal;
}

/** What becomes of a request. */
export type Verdict = Pass | Refusal;

/** Let through, with these changes. */
export interface Pass {
  readonly kind: 'pass';
  /** Who the request is from, as far as that was proved. */
  readonly consumer?: string;
  /** What the function gets to see otherwise than it was sent. */
  readonly forward?: FieldChanges;
  /** What the client gets to see otherwise than the function answered. */
  readonly answer?: FieldChanges;
  /** Query parameters that the function does not get to see. */
  readonly withoutParameters?: readonly string[];
  /** Largest request body, where that is less than the function takes; then 413. */
  readonly bodyBytesMax?: number;
  /** Default: the answer of the function as it came. */
  readonly coding?: AnswerCoding;
}

/** Changes how the body of an answer is written. */
export interface AnswerCoding {
  /** A call that stands between the client and the one that `start` makes for it. */
  between(
    request: RequestHead,
    client: CallClient,
    start: (client: CallClient) => ClientCall,
  ): ClientCall;
}

/** Answered by the Gateway itself. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly answer: Answer;
}
