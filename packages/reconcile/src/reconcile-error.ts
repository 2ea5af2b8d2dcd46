import { FnletError } from '@fnlet/base';

/**
 * - `Terminal`: thrown by a reconcile when trying again cannot help before something changes. It is
 *   logged, and the key runs again with its next event only. Any other error is retried.
 * - `DeadlineExceeded`: why the signal of a run aborted.
 * - `InvalidPredicate`: it is none, or an expression in it does not compile.
 */
export type ReconcileErrorCode = 'Terminal' | 'DeadlineExceeded' | 'InvalidPredicate';

export class ReconcileError extends FnletError<ReconcileErrorCode> {
  override readonly name = 'ReconcileError';
}
