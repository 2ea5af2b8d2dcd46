/**
 * Knows how many Instances Functions have at least because of the time: by their schedules, and by
 * what is predicted from the demand of earlier weeks.
 *
 * I1. One queue serves all: a Function with a schedule or a prediction is an entry here and a place
 *     in that queue; any other is nothing.
 * I2. What was learned is written down when a quarter of an hour is over; a crash loses no more
 *     than the quarter that it was in.
 */
import type { FunctionObject, ResolvedScale } from '@fnlet/api';
import { type Clock, jsonEqual } from '@fnlet/base';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import type { Result } from '@fnlet/reconcile';
import {
  type DemandHistory,
  decideSchedule,
  type Floor,
  learn,
  predict,
  type ScheduledMinimum,
} from '@fnlet/scaling';
import { limits } from '../limits.ts';
import type { DemandBook } from './demand-book.ts';
import { planSchedule } from './plan-schedule.ts';

export interface FloorsOptions {
  readonly book: Pick<DemandBook, 'read' | 'write'>;
  readonly clock: Clock;
  /** Asks for a call of {@link Floors.check} with this key. */
  readonly schedule: (key: ObjectKey) => void;
  /** The minimums of a Function have changed. Must only take note. */
  readonly onChange: (key: ObjectKey) => void;
  /** Something about a schedule cannot be understood. Must only take note. */
  readonly onMistake: (key: ObjectKey, mistake: string) => void;
}

interface Entry {
  readonly owner: Pick<FunctionObject, 'apiVersion' | 'kind' | 'metadata'>;
  readonly said: Pick<ResolvedScale, 'schedule' | 'predictedAheadMs'>;
  readonly minimums: readonly ScheduledMinimum[];
  /** `undefined`: not read yet, or nothing is learned. */
  history: DemandHistory | undefined;
  /** The last quarter that is written down. */
  writtenSlot: number;
  floors: readonly Floor[];
}

const none: readonly Floor[] = [];

export class Floors {
  readonly #options: FloorsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: FloorsOptions) {
    this.#options = options;
  }

  /** Follows what a Function says about times from now on. */
  track(owner: FunctionObject, scale: ResolvedScale): void {
    const key = objectKey(owner);
    const { schedule, predictedAheadMs } = scale;
    if (schedule.length === 0 && predictedAheadMs === undefined) {
      this.#drop(key);
      return;
    }
    const { apiVersion, kind, metadata } = owner;
    const said = { schedule, predictedAheadMs };
    const before = this.#entries.get(formatObjectKey(key));
    const isSameOwner = before?.owner.metadata.uid === metadata.uid;
    if (before !== undefined && isSameOwner && jsonEqual(before.said, said)) return;
    const { minimums, mistakes } = planSchedule(schedule);
    for (const mistake of mistakes) this.#options.onMistake(key, mistake);
    this.#entries.set(formatObjectKey(key), {
      ...{ owner: { apiVersion, kind, metadata }, said, minimums },
      history: isSameOwner ? before?.history : undefined,
      writtenSlot: isSameOwner ? (before?.writtenSlot ?? 0) : 0,
      floors: before?.floors ?? none,
    });
    this.#options.schedule(key);
  }

  forget(key: ObjectKey): void {
    this.#entries.delete(formatObjectKey(key));
  }

  /** The minimums that hold now. */
  of(key: ObjectKey): readonly Floor[] {
    if (this.#entries.size === 0) return none;
    return this.#entries.get(formatObjectKey(key))?.floors ?? none;
  }

  /** Demand needed so many Instances just now. */
  learn(key: ObjectKey, need: number): void {
    if (this.#entries.size === 0) return;
    const entry = this.#entries.get(formatObjectKey(key));
    if (entry?.history === undefined) return;
    const before = entry.history;
    entry.history = learn(before, { atMs: this.#options.clock.now(), need });
    if (entry.history.lastSlot !== before.lastSlot) this.#options.schedule(key);
  }

  /** Brings one Function to what holds now; says when that changes. */
  async check(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const entry = this.#entries.get(formatObjectKey(key));
    if (entry === undefined) return undefined;
    await this.#remember(entry, signal);
    // Somebody may have changed it meanwhile; then there is another run.
    if (this.#entries.get(formatObjectKey(key)) !== entry) return undefined;
    const now = this.#options.clock.now();
    const scheduled = decideSchedule(entry.minimums, now);
    const { predictedAheadMs: aheadMs } = entry.said;
    const { history } = entry;
    const predicted =
      aheadMs === undefined || history === undefined ? undefined : predict(history, now, aheadMs);
    const floors = [scheduled.floor, predicted?.floor].filter((floor) => floor !== undefined);
    if (!jsonEqual(entry.floors, floors)) {
      entry.floors = floors;
      this.#options.onChange(key);
    }
    const untilMs = Math.min(
      scheduled.untilMs ?? Number.POSITIVE_INFINITY,
      predicted?.untilMs ?? Number.POSITIVE_INFINITY,
    );
    return { requeueAfterMs: Math.min(Math.max(1, untilMs - now), limits.floorLookMs) };
  }

  /** I2 */
  async #remember(entry: Entry, signal: AbortSignal): Promise<void> {
    const { book } = this.#options;
    if (entry.said.predictedAheadMs === undefined) return;
    if (entry.history === undefined) {
      entry.history = await book.read(entry.owner, signal);
      entry.writtenSlot = entry.history.lastSlot;
    }
    const { history } = entry;
    if (history.lastSlot === entry.writtenSlot || history.needs.length === 0) return;
    await book.write(entry.owner, history, signal);
    entry.writtenSlot = history.lastSlot;
  }

  #drop(key: ObjectKey): void {
    const entry = this.#entries.get(formatObjectKey(key));
    if (entry === undefined) return;
    this.#entries.delete(formatObjectKey(key));
    if (entry.floors.length > 0) this.#options.onChange(key);
  }
}
