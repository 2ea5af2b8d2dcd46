import type { MissedTimes } from '@fnlet/api';
import type { CronSchedule } from '@fnlet/machinery/cron';
import { cronLimits } from './limits.ts';

export interface FireSituation {
  readonly schedule: CronSchedule;
  /** Everything up to here was seen to. */
  readonly seenMs: number;
  readonly nowMs: number;
  /** Since when somebody looks: what was due up to then was missed, however little before. */
  readonly sinceMs: number;
  readonly missed: MissedTimes;
  /** How late an event may be. */
  readonly deadlineMs: number;
}

/** What happens now. */
export interface FirePlan {
  /** Times that an event happens for, in their order. */
  readonly fires: readonly number[];
  /** Everything up to here is seen to then. */
  readonly seenMs: number;
  /** The first time that is left out; all between it and the first fire are, too. */
  readonly leftOutFromMs: number | undefined;
}

/**
 * Which of the times that have come are made events. A time that is late by no more than a moment,
 * while somebody looked, was not missed, so that a busy process leaves nothing out.
 */
export function planFires(situation: FireSituation): FirePlan {
  const { schedule, seenMs, nowMs } = situation;
  const firstMs = schedule.next(seenMs);
  if (firstMs === undefined || firstMs > nowMs) {
    return { fires: [], seenMs, leftOutFromMs: undefined };
  }
  const fires = chooseFires(situation);
  const [first] = fires;
  const leftOutFromMs = first === undefined || firstMs < first ? firstMs : undefined;
  const isMore = fires.length === cronLimits.firesMax;
  return { fires, seenMs: isMore ? (fires.at(-1) ?? nowMs) : nowMs, leftOutFromMs };
}

function chooseFires(situation: FireSituation): readonly number[] {
  const { schedule, seenMs, nowMs, sinceMs, missed, deadlineMs } = situation;
  const afterMs = Math.max(seenMs, nowMs - deadlineMs - 1);
  if (missed === 'all') return dueBetween(schedule, afterMs, nowMs);
  const momentMs = Math.max(afterMs, sinceMs, nowMs - cronLimits.lateMs - 1);
  const punctual = dueBetween(schedule, momentMs, nowMs);
  if (punctual.length > 0 || missed === 'skip') return punctual;
  return lastDue(schedule, afterMs, nowMs);
}

function dueBetween(schedule: CronSchedule, afterMs: number, untilMs: number): readonly number[] {
  const due: number[] = [];
  let nextMs = schedule.next(afterMs);
  while (nextMs !== undefined && nextMs <= untilMs && due.length < cronLimits.firesMax) {
    due.push(nextMs);
    nextMs = schedule.next(nextMs);
  }
  return due;
}

/** Looks back further and further, so that a long time with many due times is not walked through. */
function lastDue(schedule: CronSchedule, afterMs: number, nowMs: number): readonly number[] {
  for (let backMs = cronLimits.lateMs; ; backMs *= 2) {
    const fromMs = Math.max(afterMs, nowMs - backMs);
    let lastMs: number | undefined;
    let nextMs = schedule.next(fromMs);
    while (nextMs !== undefined && nextMs <= nowMs) {
      lastMs = nextMs;
      nextMs = schedule.next(nextMs);
    }
    if (lastMs !== undefined) return [lastMs];
    if (fromMs === afterMs) return [];
  }
}
