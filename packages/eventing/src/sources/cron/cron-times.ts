/**
 * Times of a schedule as events.
 *
 * I1. A time is passed only when its event is durable: a crash in between makes it once more, with
 *     the same id, by which the log knows it.
 * I2. Between two times it costs an entry with the one timer of all schedules.
 */
import type { CronSource } from '@fnlet/api';
import { type JsonObject, parseDuration, sha256 } from '@fnlet/base';
import { toKubeTime } from '@fnlet/machinery';
import {
  type CronSchedule,
  isTimeZone,
  openCronSchedule,
  parseCronRule,
} from '@fnlet/machinery/cron';
import type { SharedTimer } from '../shared-timer.ts';
import type { Source, SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { triggerUri } from '../trigger-uri.ts';
import { cronEvent } from './cron-event.ts';
import { planFires } from './plan-fires.ts';

export interface CronTimesOptions {
  readonly spec: CronSource;
  readonly context: SourceContext;
  readonly timer: SharedTimer;
}

/**
 * @throws SourceError `InvalidSource` for a schedule or a time zone that is none
 */
export function createCronTimes(options: CronTimesOptions): Source {
  return new CronTimes(options, readSchedule(options.spec));
}

class CronTimes implements Source {
  readonly #options: CronTimesOptions;
  readonly #schedule: CronSchedule;
  readonly #lateMs: number;

  constructor(options: CronTimesOptions, schedule: CronSchedule) {
    const { spec, context } = options;
    const lateMs = lateBy(spec, context.uid);
    this.#options = options;
    this.#lateMs = lateMs;
    this.#schedule = {
      next(afterMs) {
        const nextMs = schedule.next(afterMs - lateMs);
        return nextMs === undefined ? undefined : nextMs + lateMs;
      },
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { context, timer } = this.#options;
    const sinceMs = context.clock.now();
    let seenMs = await this.#restore();
    while (!signal.aborted) {
      const nextMs = this.#schedule.next(seenMs);
      if (nextMs === undefined) {
        context.report({ connected: true, trouble: 'The schedule is never due again' });
        return;
      }
      context.report({ connected: true, nextMs });
      if (!(await timer.until(nextMs, signal))) return;
      // A clock that was wrong in the future must not keep it waiting for that.
      const newestMs = context.clock.now() + this.#lateMs;
      seenMs = await this.#fire(Math.min(seenMs, newestMs), sinceMs);
    }
  }

  /** What was seen to under another schedule says nothing about this one. */
  async #restore(): Promise<number> {
    const { context } = this.#options;
    // What was due before now concerns nobody, though it would come late.
    const startMs = context.clock.now() + this.#lateMs;
    const kept = readKept(await context.checkpoint.load());
    // Here, too, a clock may have been wrong.
    if (kept?.rule === this.#rule) return Math.min(kept.seenMs, startMs);
    await this.#keep(startMs);
    return startMs;
  }

  async #fire(seenMs: number, sinceMs: number): Promise<number> {
    const { spec, context } = this.#options;
    const { startingDeadline } = spec;
    const plan = planFires({
      schedule: this.#schedule,
      ...{ seenMs, sinceMs },
      nowMs: context.clock.now(),
      missed: spec.missed,
      deadlineMs:
        startingDeadline === undefined ? Number.POSITIVE_INFINITY : parseDuration(startingDeadline),
    });
    if (plan.leftOutFromMs !== undefined) this.#tellLeftOut(plan.leftOutFromMs);
    for (const dueMs of plan.fires) await this.#bring(dueMs - this.#lateMs);
    if (plan.seenMs !== seenMs) await this.#keep(plan.seenMs);
    return plan.seenMs;
  }

  async #bring(scheduledMs: number): Promise<void> {
    const { spec, context } = this.#options;
    if (spec.concurrencyPolicy === 'Forbid' && (await context.undelivered()) > 0) {
      const time = toKubeTime(scheduledMs);
      const message = `${time} is left out: the event of an earlier time is not delivered yet`;
      context.tell({ reason: 'TimeLeftOut', message });
      return;
    }
    const parts = { source: triggerUri(context), uid: context.uid, scheduledMs, content: spec };
    await context.accept([cronEvent(parts)]);
  }

  #tellLeftOut(firstMs: number): void {
    const { missed, startingDeadline } = this.#options.spec;
    const deadline = startingDeadline === undefined ? '' : `, startingDeadline ${startingDeadline}`;
    const since = toKubeTime(firstMs - this.#lateMs);
    const message = `Times from ${since} on passed unseen and are left out: missed is ${missed}${deadline}`;
    this.#options.context.tell({ reason: 'TimesMissed', message });
  }

  async #keep(seenMs: number): Promise<void> {
    await this.#options.context.checkpoint.save({ rule: this.#rule, seenMs });
  }

  get #rule(): string {
    const { schedule, timeZone = 'UTC' } = this.#options.spec;
    return `${schedule} ${timeZone}`;
  }
}

interface Kept {
  readonly rule: string;
  readonly seenMs: number;
}

function readKept({ rule, seenMs }: JsonObject = {}): Kept | undefined {
  if (typeof rule !== 'string' || typeof seenMs !== 'number') return undefined;
  return { rule, seenMs };
}

function readSchedule({ schedule: text, timeZone = 'UTC' }: CronSource): CronSchedule {
  const parsed = parseCronRule(text, { seconds: true });
  if (parsed.kind === 'invalid') throw invalid(`schedule "${text}": ${parsed.problem}`);
  if (!isTimeZone(timeZone)) {
    throw invalid(`time zone "${timeZone}": found no such zone, expected one like Europe/Berlin`);
  }
  return openCronSchedule(parsed.rule, timeZone);
}

function invalid(text: string): SourceError {
  return new SourceError('InvalidSource', `Cannot use ${text}`);
}

/** Always the same for a Trigger, so that its events keep their distance. */
function lateBy({ jitter }: CronSource, uid: string): number {
  if (jitter === undefined) return 0;
  const share = Number.parseInt(sha256(uid).slice(0, 8), 16) / 2 ** 32;
  return Math.floor(share * parseDuration(jitter));
}
