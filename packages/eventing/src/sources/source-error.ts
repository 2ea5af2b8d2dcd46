import { FnletError } from '@fnlet/base';

/**
 * - `InvalidSource`: what the Trigger says about its source cannot be meant: only an edit helps, and
 *   nothing is tried until then. What the Trigger names, such as a Secret, may come or be mended.
 * - `Unreachable`: where events come from does not answer, or not as expected.
 * - `Forbidden`: it answers, and lets nobody in; or there is nothing to get in with.
 * - `Outdated`: what it got in with is another now; with that it is started again soon.
 */
export type SourceErrorCode = 'InvalidSource' | 'Unreachable' | 'Forbidden' | 'Outdated';

/** Why a source brings no events. */
export class SourceError extends FnletError<SourceErrorCode> {
  override readonly name = 'SourceError';
}
