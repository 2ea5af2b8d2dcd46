/**
 * Learns the shape of a Function's days and weeks, and says how many Instances it will need.
 *
 * The memory is one number per quarter of an hour for three weeks: how many Instances the demand
 * needed at its peak. What is predicted for a quarter is what the same quarter of the same weekday
 * needed: the median of up to three weeks, so that one flash crowd is no habit. As long as fewer
 * than two such weekdays are known, the last days stand in for them.
 */
import type { Floor } from './floor.ts';

/** A value; learning gives a new one. */
export interface DemandHistory {
  /** The last quarter that is over, counted from the epoch. */
  readonly lastSlot: number;
  /** Instances that each quarter up to that one needed at its peak, oldest first. */
  readonly needs: readonly number[];
  /** What the quarter after that one has needed so far, if anything was heard of it. */
  readonly openNeed: number | undefined;
  /** The first quarter of a time since when the clock has been behind what is known. */
  readonly behindFrom?: number;
}

export interface Prediction {
  /** What demand will need soon; `undefined` when nothing is known, or nothing will be needed. */
  readonly floor: Floor | undefined;
  /** When to ask again, in milliseconds since the epoch; `undefined`: not before more is learned. */
  readonly untilMs: number | undefined;
}

/** A quarter of an hour. */
export const slotMs = 900_000;

const slotsPerDay = 96;
const slotsPerWeek = 7 * slotsPerDay;
const weeks = 3;

/** How long a clock must have gone on behind what is known to be the one that is right. */
const slotsUntilBelieved = 4;

/** Three weeks: a median needs three, and what is older is another season. */
export const slotsMax: number = weeks * slotsPerWeek;

/** What is known of a Function that was never seen. */
export const emptyHistory: DemandHistory = { lastSlot: 0, needs: [], openNeed: undefined };

const weekdays = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];

/**
 * The history after demand needed so many Instances at this moment. Quarters of which nothing was
 * heard needed none: the Function slept.
 */
export function learn(
  history: DemandHistory,
  { atMs, need }: { readonly atMs: number; readonly need: number },
): DemandHistory {
  const slot = slotOf(atMs);
  if (slot <= history.lastSlot) return learnBehind(history, { atMs, need });
  const { behindFrom: _, ...known } = history;
  const settled = history.behindFrom === undefined ? history : known;
  const current = slot === settled.lastSlot + 1 ? settled : close(settled, slot);
  if (need <= (current.openNeed ?? -1)) return current;
  return { ...current, openNeed: need };
}

/**
 * A clock that is behind what is known teaches nothing at first: it may be wrong for a moment, as
 * where nothing keeps the time while a machine is off. One that stays there shows that the other
 * was wrong: what was learned of a time to come is none of this one, and would be in the way of it.
 */
function learnBehind(
  history: DemandHistory,
  seen: { readonly atMs: number; readonly need: number },
): DemandHistory {
  const slot = slotOf(seen.atMs);
  const { behindFrom, lastSlot, needs } = history;
  if (behindFrom === undefined || slot < behindFrom) return { ...history, behindFrom: slot };
  if (slot - behindFrom < slotsUntilBelieved) return history;
  const kept = Math.max(0, needs.length - (lastSlot - slot + 1));
  const rewound = { lastSlot: slot - 1, needs: needs.slice(0, kept), openNeed: undefined };
  return learn(rewound, seen);
}

/** Writes down what is over before `slot`. */
function close({ lastSlot, needs, openNeed }: DemandHistory, slot: number): DemandHistory {
  const isNew = needs.length === 0 && openNeed === undefined;
  const asleep = Math.min(slot - lastSlot - 2, slotsMax);
  const passed = isNew ? [] : [openNeed ?? 0, ...Array.from({ length: asleep }, () => 0)];
  const all = [...needs, ...passed];
  return { lastSlot: slot - 1, needs: all.slice(-slotsMax), openNeed: undefined };
}

/**
 * What demand will need now and within `aheadMs`, at most a quarter of an hour.
 *
 * @param aheadMs how long before its quarter a need is met
 */
export function predict(history: DemandHistory, now: number, aheadMs: number): Prediction {
  const estimate = estimateAt(history, now, aheadMs);
  const floor = estimate === undefined ? undefined : explain(estimate);
  const slot = slotOf(now);
  const ahead = history.needs.length === 0 ? 0 : slotsPerWeek;
  // Needs begin `aheadMs` before a quarter and end with one.
  for (let next = slot + 1; next <= slot + ahead; next++) {
    for (const atMs of [next * slotMs - aheadMs, next * slotMs]) {
      const isOther = estimateAt(history, atMs, aheadMs)?.min !== floor?.min;
      if (atMs > now && isOther) return { floor, untilMs: atMs };
    }
  }
  return { floor, untilMs: undefined };
}

interface Estimate {
  readonly slot: number;
  readonly min: number;
  /** How many weeks, or days, say so. */
  readonly count: number;
  readonly unit: 'week' | 'day';
}

function explain({ slot, min, count, unit }: Estimate): Floor {
  const days = unit === 'day' ? 'day' : weekdays[Math.floor(slot / slotsPerDay) % 7];
  const time = new Date(slot * slotMs).toISOString().slice(11, 16);
  return { min, reason: `predicted: ${min} as on the last ${count} ${days}s at ${time} UTC` };
}

function estimateAt(history: DemandHistory, atMs: number, aheadMs: number): Estimate | undefined {
  const slot = slotOf(atMs);
  const present = estimateOf(history, slot);
  const soon = slotOf(atMs + aheadMs) === slot ? undefined : estimateOf(history, slot + 1);
  return (soon?.min ?? 0) > (present?.min ?? 0) ? soon : present;
}

/** What a quarter will need, by what earlier ones needed; `undefined` for nothing. */
function estimateOf(history: DemandHistory, slot: number): Estimate | undefined {
  const sameWeekday = needsBefore(history, slot, { step: slotsPerWeek, most: weeks });
  const [first = Number.POSITIVE_INFINITY] = sameWeekday;
  const isWeekly = sameWeekday.length > 1;
  const days = isWeekly ? sameWeekday : needsBefore(history, slot, { step: slotsPerDay, most: 7 });
  if (days.length < 2) return undefined;
  const min = isWeekly ? median(days) : Math.min(median(days), first);
  const count = days.length;
  return min === 0 ? undefined : { slot, min, count, unit: isWeekly ? 'week' : 'day' };
}

/** What the quarters at equal distances before this one needed, the latest first. */
function needsBefore(
  history: DemandHistory,
  slot: number,
  { step, most }: { readonly step: number; readonly most: number },
): readonly number[] {
  const found: number[] = [];
  for (let i = 1; i <= most; i++) {
    const need = needIn(history, slot - i * step);
    if (need !== undefined) found.push(need);
  }
  return found;
}

/** What a quarter needed; `undefined` before the first of which anything is known. */
function needIn({ lastSlot, needs, openNeed }: DemandHistory, slot: number): number | undefined {
  if (needs.length === 0 || slot <= lastSlot) return needs[needs.length - 1 - (lastSlot - slot)];
  return slot === lastSlot + 1 ? (openNeed ?? 0) : 0;
}

/** Of an even count, the lower of the two in the middle: what is expected happened more than once. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function slotOf(atMs: number): number {
  return Math.floor(atMs / slotMs);
}

/** The history as a text of about a kilobyte: the last quarter, then needs with their run lengths. */
export function formatHistory({ lastSlot, needs }: DemandHistory): string {
  const runs: { readonly need: number; readonly length: number }[] = [];
  for (const need of needs) {
    const last = runs.at(-1);
    if (last?.need === need) runs[runs.length - 1] = { need, length: last.length + 1 };
    else runs.push({ need, length: 1 });
  }
  const texts = runs.map(({ need, length }) => (length === 1 ? `${need}` : `${need}x${length}`));
  return [lastSlot, ...texts].join(' ');
}

/** Reads what {@link formatHistory} wrote; `undefined` for any other text. */
export function parseHistory(text: string): DemandHistory | undefined {
  const [first = '', ...runs] = text.split(' ');
  const needs: number[] = [];
  for (const run of runs) {
    const [, need, length = '1'] = /^(\d{1,5})(?:x(\d{1,5}))?$/.exec(run) ?? [];
    if (need === undefined || needs.length + Number(length) > slotsMax) return undefined;
    for (let i = 0; i < Number(length); i++) needs.push(Number(need));
  }
  if (!/^\d{1,10}$/.test(first)) return undefined;
  return { lastSlot: Number(first), needs, openNeed: undefined };
}
