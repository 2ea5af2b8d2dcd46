import { FnletError } from '@fnlet/base';

/**
 * - `Terminal`: thrown by a reconcile when trying again cannot help before something changes. It is
 *   logged, and the key runs again with its next event only. Any other error is retried.
 * - `DeadlineExceeded`: why the signal of a run aborted.
 * - `InvalidPredicate`: it is none, or an expression in it does not compile.
 * - `InvalidShards`: the Lease that says which replica runs what cannot be read.
 * - `LeadershipLost`: why the signal of a leader's work aborted, unless it was told to stop.
 * - `UnknownKind`: the API does not serve a child's kind any more.
 */
export type ReconcileErrorCode =
  | 'Terminal'
  | 'DeadlineExceeded'
  | 'InvalidPredicate'
  | 'InvalidShards'
  | 'LeadershipLost'
  | 'UnknownKind';

export class ReconcileError extends FnletError<ReconcileErrorCode> {
  override readonly name = 'ReconcileError';
}
