import { isTimeZone, parseCronRule } from '@fnlet/machinery/cron';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/**
 * Refuses a schedule that a Trigger would stand still with: the API takes any text, and only its
 * status would tell.
 *
 * @throws CliError
 */
export function requireSchedule(flags: { readonly [flag: string]: unknown }): void {
  const { schedule, timeZone } = flags;
  if (typeof schedule === 'string') {
    const parsed = parseCronRule(schedule, { seconds: true });
    if (parsed.kind === 'invalid') {
      throw refused(`--schedule "${schedule}": ${parsed.problem}`, '--schedule "0 8 * * mon-fri"');
    }
  }
  if (typeof timeZone === 'string' && !isTimeZone(timeZone)) {
    throw refused(`--time-zone "${timeZone}": there is no such zone`, '--time-zone Europe/Berlin');
  }
}

function refused(found: string, example: string): CliError {
  return new CliError(exitCodes.usage, `Cannot read ${found}`, {
    remedy: `For example: ${example}`,
  });
}
