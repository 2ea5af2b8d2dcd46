import type { Loss } from './upstream-connection.ts';

// RFC 9110 §9.2.2. TRACE is left out: no function expects it.
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Whether running it twice has the effect of running it once, so that it may be sent twice. */
export function isIdempotent(method: string): boolean {
  return idempotentMethods.has(method);
}

/**
 * Whether a call whose connection was lost before the first byte of its answer is tried again.
 * The bytes that were sent must still be at hand; then it is
 * (a) any method, when it is proven that nothing was sent: the connection was refused, or the first
 *     write on it failed because the other end was closed already;
 * (b) once, a method that is idempotent, if its Revision has a retry left (`retry-budget.ts`).
 * Otherwise a function might run twice for one call.
 */
export function mayRetry(lost: {
  readonly loss: Loss;
  readonly method: string;
  /** How often the call was tried, this time included. */
  readonly attempts: number;
  readonly attemptsMax: number;
}): boolean {
  if (lost.attempts >= lost.attemptsMax) return false;
  return lost.loss.unsent || (lost.attempts === 1 && isIdempotent(lost.method));
}
