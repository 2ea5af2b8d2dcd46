import type { ScheduledScale } from '@fnlet/api';
import {
  type CronRule,
  type CronSchedule,
  isTimeZone,
  openCronSchedule,
  parseCronRule,
} from '@fnlet/machinery/cron';
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
      const mistake = findMistake({ start, opens }, { end, closes });
      if (mistake === undefined) minimums.push({ min, start: opens, end: closes, name });
      else mistakes.push(mistake);
    }
  }
  return { minimums, mistakes };
}

/** What is wrong with a minimum whose times can be read: that would never hold, or for ever. */
function findMistake(
  { start, opens }: { readonly start: string; readonly opens: CronSchedule },
  { end, closes }: { readonly end: string; readonly closes: CronSchedule },
): string | undefined {
  // From the epoch on: no rule has a year, so what is not due in those years is due in none.
  if (opens.next(0) === undefined) return `start "${start}": no year has such a day`;
  if (closes.next(0) === undefined) return `end "${end}": no year has such a day`;
  const isSame = start.trim().split(/\s+/).join(' ') === end.trim().split(/\s+/).join(' ');
  return isSame ? `start and end "${start}": expected an end at another time` : undefined;
}

/** A rule, or why the text is none. What counts from now on is no time of the week. */
function readRule(text: string): CronRule | string {
  const parsed = parseCronRule(text);
  if (parsed.kind === 'invalid') return parsed.problem;
  return parsed.rule.kind === 'every' ? 'expected five fields' : parsed.rule;
}
