import { FnletError } from '@fnlet/base';

/**
 * - `InvalidSource`: what the Trigger says about its source cannot be meant: only an edit helps.
 * - `Unreachable`: where events come from does not answer, or not as expected.
 * - `Forbidden`: it answers, and lets nobody in.
 */
export type SourceErrorCode = 'InvalidSource' | 'Unreachable' | 'Forbidden';

/** Why a source brings no events. */
export class SourceError extends FnletError<SourceErrorCode> {
  override readonly name = 'SourceError';
}
