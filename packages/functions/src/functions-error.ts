import { FnletError } from '@fnlet/base';

/**
 * - `RevisionInTheWay`: a Revision of a deleted Function of the same name is still there; it is on
 *   its way out.
 * - `RevisionNotFound`: calls wait for a Revision that does not exist any more.
 * - `UnknownRuntime`: a Revision names a runtime that is not here (any more).
 * - `SourceSecretNotFound`: the Secret that a source is fetched with does not exist.
 * - `MetricUnavailable`: a server does not say the number that a Function scales by.
 * - `EnvironmentNotFound`: a Secret or ConfigMap that a Revision needs does not exist any more.
 */
export type FunctionsErrorCode =
  | 'RevisionInTheWay'
  | 'RevisionNotFound'
  | 'UnknownRuntime'
  | 'SourceSecretNotFound'
  | 'MetricUnavailable'
  | 'EnvironmentNotFound';

export class FunctionsError extends FnletError<FunctionsErrorCode> {
  override readonly name = 'FunctionsError';
}
