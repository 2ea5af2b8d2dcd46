import { celSizeMax } from './limits.ts';

/**
 * How large a value can be: characters of a text, bytes, items of a list, entries of a map. Costs
 * and sizes that would be larger are `celSizeMax`, as cel-go's saturate at 64 bits.
 */
export interface CelSize {
  readonly min: number;
  readonly max: number;
}

/** The size of a value about which nothing is known. */
export const unknownSize: CelSize = { min: 0, max: celSizeMax };

/** The size of a number, a truth value, or anything else that does not grow. */
export const scalarSize: CelSize = { min: 1, max: 1 };

export function exactSize(size: number): CelSize {
  return { min: size, max: size };
}

export function addSizes(a: CelSize, b: CelSize): CelSize {
  return { min: sum(a.min, b.min), max: sum(a.max, b.max) };
}

export function multiplySizes(a: CelSize, b: CelSize): CelSize {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** What is of either size. */
export function eitherSize(a: CelSize, b: CelSize): CelSize {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

export function sum(...costs: readonly number[]): number {
  return Math.min(
    costs.reduce((total, cost) => total + cost, 0),
    celSizeMax,
  );
}

/** A cost for each of so many, rounded up to whole units. */
export function product(cost: number, times: number): number {
  return Math.min(Math.ceil(cost * times), celSizeMax);
}
