/**
 * Topics and streams whose records are told apart by a number. One that was deleted and made anew
 * counts from its beginning again, and its first records are others than those of before: taken for
 * the same, they would be passed over as known. So which making it is stands in their ids, but for
 * the first that a Trigger has seen: most places are made once.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';

/** Which makings of a place were seen. */
interface SeenMakings {
  readonly first: string;
  readonly last: string;
}

/** By the names of the places. */
export type PlaceMakings = Readonly<Record<string, SeenMakings>>;

/** What was not written as such was not seen. */
export function parseMakings(value: unknown): PlaceMakings {
  const found: Record<string, SeenMakings> = {};
  for (const [place, seen] of Object.entries(isJsonObject(value) ? value : {})) {
    if (!isJsonObject(seen)) continue;
    const { first, last } = seen;
    if (typeof first === 'string' && typeof last === 'string') found[place] = { first, last };
  }
  return found;
}

export function formatMakings(makings: PlaceMakings): JsonObject {
  return Object.fromEntries(Object.entries(makings).map(([place, seen]) => [place, { ...seen }]));
}

/** Whether it was seen before, and is another one now. */
export function isRemade(makings: PlaceMakings, place: string, making: string): boolean {
  const seen = makings[place];
  return seen !== undefined && seen.last !== making;
}

export function seeMaking(makings: PlaceMakings, place: string, making: string): PlaceMakings {
  return { ...makings, [place]: { first: makings[place]?.first ?? making, last: making } };
}

/** What stands behind the ids of its records: nothing for the first making. */
export function makingMark(makings: PlaceMakings, place: string): string {
  const seen = makings[place];
  return seen === undefined || seen.first === seen.last ? '' : `@${seen.last}`;
}
