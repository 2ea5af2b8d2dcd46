import { FnletError, type FnletErrorOptions } from '@fnlet/base';

/**
 * - `NotFound`: there is no such Trigger, or no such dead letter.
 * - `InvalidTarget`: dead letters cannot be sent there.
 * - `NotHere`: the Trigger does not run in this process, or not yet.
 * - `NotTaken`: who was to get an event did not take it.
 */
export type LettersErrorCode = 'NotFound' | 'InvalidTarget' | 'NotHere' | 'NotTaken';

/** What asking something of dead letters is refused with. */
export class LettersError extends FnletError<LettersErrorCode> {
  override readonly name = 'LettersError';

  constructor(code: LettersErrorCode, message: string, options: FnletErrorOptions = {}) {
    super(code, message, options);
  }
}
