/**
 * What goes wrong with a request.
 *
 * - `gone`: 410 Expired; a watch opens and gets it as its first event, as from a real server.
 * - `conflict`: 409, as when somebody else has just written the object.
 * - `throttle`: 429 with Retry-After; nothing has happened.
 * - `unavailable`: 503 without Retry-After; nothing has happened.
 * - `fail`: 500 InternalError; nothing has happened.
 * - `slow`: the answer leaves `delayMs` later on the cluster's clock.
 * - `loseAnswer`: the request *is* carried out, and the connection breaks before its answer.
 */
export type Fault =
  | Refusal
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'loseAnswer' };

/** Faults in which the request is not carried out. */
export type Refusal =
  | { readonly kind: 'gone' | 'conflict' | 'unavailable' | 'fail' }
  | { readonly kind: 'throttle'; readonly retryAfterSeconds: number };
