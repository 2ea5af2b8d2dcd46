/** What a handler learns about its call. */
export interface Context {
  /** Names the call in the logs of Gateway and Instance and in the header `x-request-id`. */
  readonly requestId: string;
  readonly functionName: string;
  readonly namespace: string;
  /** Name of the Revision that answers. */
  readonly revision: string;
  /** Runtime as the Function names it, such as `nodejs24`. */
  readonly runtime: string;
  /** When the call is cancelled and answered with 408, unless its answer has begun by then. */
  readonly deadline: Date;
  /** Aborts when the call is cancelled or the caller goes away; pass it on to whatever waits. */
  readonly signal: AbortSignal;
  /** The caller's position in a distributed trace, sent as W3C Trace Context or as B3. */
  readonly traceparent: string | undefined;
  readonly log: ContextLog;
}

/** Writes lines to the log of the Instance, marked with the call's request id. */
export interface ContextLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
