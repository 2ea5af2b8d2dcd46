import type { HeaderField } from '@fnlet/invocation';

/** A request that was read completely and is answered within this process. */
export interface ReceivedRequest {
  /** The Function that it is for, with its tag as it was addressed; `undefined`: it is for the responder itself. */
  readonly call: { readonly namespace: string; readonly function: string } | undefined;
  readonly method: string;
  /** Path and query: as the function would see them, or as they came. */
  readonly target: string;
  /** All but what belongs to the connection and how it framed the body. */
  readonly headers: readonly HeaderField[];
  readonly body: Uint8Array;
  readonly remoteAddress: string;
}

export interface ResponderAnswer {
  readonly status: number;
  /** Without those that say how long the body is. */
  readonly headers: readonly HeaderField[];
  readonly body: string | Uint8Array;
}

/** Answers requests in the Gateway's own process, each once its whole body is there. */
export interface Responder {
  /** Largest request body; then 413. */
  readonly bodyBytesMax: number;
  /**
   * Asked first, where it is there: the answer, if it can be had without heeding whether the client
   * is gone, which costs as much as to read a request. It throws nothing; a rejection is answered
   * with 500. `undefined`: {@link respond} is asked.
   */
  respondSoon?(request: ReceivedRequest): Promise<ResponderAnswer> | undefined;
  /** `signal` aborts when the client is gone. A rejection is answered with 500. */
  respond(request: ReceivedRequest, signal: AbortSignal): Promise<ResponderAnswer>;
}
