/**
 * How long the value of a header Retry-After asks to wait, in milliseconds: it is a number of
 * seconds, or a date (RFC 9110 §10.2.3), here compared with `nowMs`. `undefined` when it is neither.
 */
export function parseRetryAfter(value: string, nowMs: number): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // All three forms of a date begin with the day of the week; Date.parse takes much else for dates.
  const untilMs = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - nowMs);
}
