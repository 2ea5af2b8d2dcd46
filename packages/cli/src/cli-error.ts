import { FnletError, type FnletErrorOptions } from '@fnlet/base';
import type { ExitCode } from './exit-codes.ts';

/** A failure that the user is told in one line, with the exit code that it leads to. */
export class CliError extends FnletError<'CliError'> {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options: FnletErrorOptions = {}) {
    super('CliError', message, options);
    this.exitCode = exitCode;
  }
}
