/** A number, or a share of the wanted replicas such as `25%`. */
export type IntOrPercent = number | string;

/** How many of `whole` it means; 0 for what is neither a number nor a share. */
export function resolveShare(
  value: IntOrPercent,
  whole: number,
  round: (share: number) => number,
): number {
  if (typeof value === 'number') return Math.max(0, value);
  const percent = /^(\d+)%$/.exec(value)?.[1];
  // Whole numbers first: a hundredth of something is not exact, and must not be rounded twice.
  return percent === undefined ? 0 : round((Number(percent) * whole) / 100);
}
