import type { Random } from '@fnlet/base';

/** How many requests arrive, on average, at each moment of a kind of day. */
export interface LoadShape {
  readonly name: string;
  /** What is special about it, in a few words. */
  readonly title: string;
  /** Requests per second at this time of day. */
  rate(hourOfDay: number): number;
  /** What was seen before and comes back; the same unless something happens once. */
  usualRate(hourOfDay: number): number;
}

/** From `low` to `high` between two hours, as smooth as a sunrise. */
function ramp(hour: number, [from, to]: readonly [number, number]): number {
  const part = Math.min(1, Math.max(0, (hour - from) / (to - from)));
  return (1 - Math.cos(part * Math.PI)) / 2;
}

function between(hour: number, from: number, to: number): boolean {
  return hour >= from && hour < to;
}

/** A shop: people get up, and most of them are there before noon. */
function shopRate(hour: number): number {
  return 4 + 380 * ramp(hour, [6.5, 11]) - 140 * ramp(hour, [12, 14]);
}

/** An office: nobody, then everybody, at eight sharp; a meeting less at ten. */
function officeRate(hour: number): number {
  if (!between(hour, 8, 18)) return 0.02;
  return 240 + 110 * ramp(hour, [9, 9.2]) - 150 * ramp(hour, [12, 12.2]);
}

/** Batches: at half past each hour somebody's timer calls for a minute, over a thin stream. */
function batchRate(hour: number): number {
  return 8 + (between(hour % 1, 0.5, 0.5 + 1 / 60) ? 320 : 0);
}

/** The shop on the day on which it was on television, at ten past ten. */
function crowdRate(hour: number): number {
  const crowd = between(hour, 10.17, 10.4) ? 700 * ramp(hour, [10.17, 10.19]) : 0;
  return shopRate(hour) + crowd;
}

function usual(name: string, title: string, rate: LoadShape['rate']): LoadShape {
  return { name, title, rate, usualRate: rate };
}

export const loadShapes: readonly LoadShape[] = [
  usual('shop', 'a shop: more from minute to minute', shopRate),
  usual('office', 'an office: everybody at eight', officeRate),
  usual('batches', 'batches: a minute in each hour', batchRate),
  { name: 'crowd', title: 'a shop and a flash crowd', rate: crowdRate, usualRate: shopRate },
];

/**
 * A number of arrivals of this mean: Poisson, by multiplying what is drawn where the mean is small,
 * and by its normal neighbour where it is not.
 */
export function drawArrivals(random: Random, mean: number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * drawNormal(random)));
  const floor = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > floor; product *= random.next()) count++;
  return count;
}

/** Box and Muller's way from two even numbers to a normal one. */
export function drawNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}
