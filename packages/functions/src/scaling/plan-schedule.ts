import type { ScheduledScale } from '@fnlet/api';
import { type CronRule, isTimeZone, openCronSchedule, parseCronRule } from '@fnlet/machinery/cron';
import type { ScheduledMinimum } from '@fnlet/scaling';

/** The minimums that can be understood, and what is wrong with the others. */
export interface PlannedSchedule {
  readonly minimums: readonly ScheduledMinimum[];
  readonly mistakes: readonly string[];
}

/** Reads the schedule of a Function. */
export function planSchedule(schedule: readonly ScheduledScale[]): PlannedSchedule {
  const minimums: ScheduledMinimum[] = [];
  const mistakes: string[] = [];
  for (const { start, end, timeZone = 'UTC', min } of schedule) {
    const [from, to] = [readRule(start), readRule(end)];
    if (!isTimeZone(timeZone)) {
      mistakes.push(`timeZone "${timeZone}": expected an IANA name, such as Europe/Berlin`);
    } else if (typeof from === 'string') mistakes.push(`start "${start}": ${from}`);
    else if (typeof to === 'string') mistakes.push(`end "${end}": ${to}`);
    else {
      const name = `"${start}" to "${end}" (${timeZone})`;
      const [opens, closes] = [openCronSchedule(from, timeZone), openCronSchedule(to, timeZone)];
      minimums.push({ min, start: opens, end: closes, name });
    }
  }
  return { minimums, mistakes };
}

/** A rule, or why the text is none. What counts from now on is no time of the week. */
function readRule(text: string): CronRule | string {
  const parsed = parseCronRule(text);
  if (parsed.kind === 'invalid') return parsed.problem;
  return parsed.rule.kind === 'every' ? 'expected five fields' : parsed.rule;
}
