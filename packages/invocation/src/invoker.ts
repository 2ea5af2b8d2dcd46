/** A header field: its name in any case, its value as octets (latin1). */
export type HeaderField = readonly [name: string, value: string];

/** A call of a Function that comes from Fnlet itself. */
export interface Invocation {
  readonly namespace: string;
  /** Name of the Function. */
  readonly function: string;
  readonly method: string;
  /** Path and query as the function sees them; starts with `/`. */
  readonly target: string;
  /** In order. How long the body is, and what belongs to a connection, is said by the Gateway. */
  readonly headers: readonly HeaderField[];
  readonly body: Uint8Array;
  /** Whoever asked for the call, for X-Forwarded-For. */
  readonly remoteAddress: string;
  /** How much of the body of the answer is kept; the rest is read and thrown away. */
  readonly answerBytesMax: number;
  /** How long the call may take in all, if the Function itself does not set a shorter time. */
  readonly timeoutMs: number;
}

/** What the Function answered. */
export interface InvocationAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: readonly HeaderField[];
  readonly body: Uint8Array;
  /** Whether the body was longer than what is kept of it. */
  readonly truncated: boolean;
}

/** Why there is no whole answer of the Function. */
export interface InvocationFailure {
  readonly kind: 'failed';
  /** The status that a caller over HTTP would have got. */
  readonly status: number;
  /** CamelCase, such as `QueueFull` or `InstanceGone`. */
  readonly reason: string;
  /** One sentence for a person. */
  readonly message: string;
  /** Whether the function may have run. */
  readonly reached: boolean;
  /** When it may be different; `undefined` when nobody knows. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Calls Functions the way that everybody does, through the Gateway, which wakes those that sleep
 * and counts the call as demand; but without a connection to it. Never rejects: a call that
 * `signal` aborts comes to `CallAborted`, and the function's own signal aborts.
 */
export type Invoker = (
  invocation: Invocation,
  signal: AbortSignal,
) => Promise<InvocationAnswer | InvocationFailure>;
