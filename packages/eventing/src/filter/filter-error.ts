import { FnletError, type FnletErrorOptions } from '@fnlet/base';

/** A filter that can let no event pass as it is meant to; its code is always `InvalidFilter`. */
export class FilterError extends FnletError<'InvalidFilter'> {
  override readonly name = 'FilterError';

  constructor(message: string, options: FnletErrorOptions = {}) {
    super('InvalidFilter', message, options);
  }
}
