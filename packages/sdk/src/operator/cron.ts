import { openCronSchedule, parseCronRule } from '@fnlet/machinery/cron';

/**
 * The first time after `after` that a schedule names (both RFC 3339); `undefined`: never, or not in
 * five years.
 *
 * @param schedule five fields as in a CronJob, `@daily` and the like, or `@every 1h`
 * @param timeZone IANA name. Default UTC: the same request gives the same answer everywhere.
 * @throws RangeError for a schedule or a time zone that is none
 *
 * @example
 * const due = nextCronTime('*\/5 * * * *', now);
 */
export function nextCronTime(
  schedule: string,
  after: string,
  timeZone = 'UTC',
): string | undefined {
  const parsed = parseCronRule(schedule);
  if (parsed.kind === 'invalid') {
    throw new RangeError(`Cannot read schedule "${schedule}": ${parsed.problem}`);
  }
  const nextMs = openCronSchedule(parsed.rule, timeZone).next(Date.parse(after));
  return nextMs === undefined ? undefined : new Date(nextMs).toISOString();
}
