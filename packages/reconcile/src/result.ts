import { ReconcileError } from './reconcile-error.ts';

/** What a reconcile asks for when it went well. */
export interface Result {
  /** Run again after so long, unless an event comes first. Without it: with the next event. */
  readonly requeueAfterMs?: number | undefined;
}

/**
 * An error to throw when trying again cannot help before something changes: the key runs again with
 * its next event only.
 *
 * @param reason for people, such as `spec.schedule is no cron expression`
 */
export function terminal(reason: string, options: { readonly cause?: unknown } = {}): Error {
  return new ReconcileError('Terminal', reason, options);
}
