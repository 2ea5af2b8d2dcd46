import { FnletError } from '@fnlet/base';

/**
 * - `Terminal`: thrown by a reconcile when trying again cannot help before something changes. It is
 *   logged, and the key runs again with its next event only. Any other error is retried.
 * - `DeadlineExceeded`: why the signal of a run aborted.
 * - `InvalidMapping`: no expression of whom an object concerns, or it names none.
 * - `InvalidPredicate`: it is none, or an expression in it does not compile.
 * - `InvalidShards`: the Lease that says which replica runs what cannot be read.
 * - `LeadershipLost`: why the signal of a leader's work aborted, unless it was told to stop.
 * - `UnknownKind`: the API does not serve a child's kind any more.
 * - `UndeclaredKind`: an operator looked at objects of a kind that it neither owns nor watches.
 * - `InvalidAnswer`: what an operator's function returned is no answer.
 * - `TooManyRequirements`: a run asked for more and more objects.
 * - `ChildrenFailed`: some children could not be written; the message names them.
 */
export type ReconcileErrorCode =
  | 'Terminal'
  | 'DeadlineExceeded'
  | 'InvalidMapping'
  | 'InvalidPredicate'
  | 'InvalidShards'
  | 'LeadershipLost'
  | 'UnknownKind'
  | 'UndeclaredKind'
  | 'InvalidAnswer'
  | 'TooManyRequirements'
  | 'ChildrenFailed';

export class ReconcileError extends FnletError<ReconcileErrorCode> {
  override readonly name = 'ReconcileError';
}
