import type { RoutePolicy } from './policy/route-policy.ts';

/** Where calls of one Function go. A value: routes are replaced, never changed. */
export interface Route {
  readonly namespace: string;
  readonly function: string;
  /** The Revision that serves, `namespace/name`; `undefined` when none ever was ready. */
  readonly revision: string | undefined;
  /** Why nothing serves; shown to callers with 503 while `revision` is undefined. */
  readonly unavailable?: { readonly reason: string; readonly message: string };
  /**
   * How long an Instance may take until its answer begins. It answers 408 itself then; one that
   * does not gets 504 said for it a moment later.
   */
  readonly timeoutMs: number;
  /** How long a call may wait for an Instance on top of that; then 504. */
  readonly wakeMs: number;
  /** Largest request body; then 413. */
  readonly bodyBytesMax: number;
  /** Hard limit of calls in flight per Instance; 0 for none. */
  readonly concurrencyLimit: number;
  /** What is demanded of requests that call the Function by its name. */
  readonly policy?: RoutePolicy;
}

/** An Instance as the Gateway sees it. */
export interface Endpoint {
  /** Name of the Instance. */
  readonly id: string;
  /** Path of the Unix socket that it answers HTTP/1.1 on. */
  readonly socketPath: string;
  /**
   * Set while it loads its code: it gets no call yet, but a connection is opened for the first one.
   */
  readonly starting?: boolean;
}

/** Why no Instance of a Revision takes calls, and will not for a while. */
export interface Outage {
  readonly reason: string;
  readonly message: string;
  /** How long until one is tried again. */
  readonly retryAfterMs: number;
}
