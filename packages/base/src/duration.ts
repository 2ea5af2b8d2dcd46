import { FnletError } from './errors.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads a duration as Go and Kubernetes write it (`30s`, `1m30s`, `250ms`, `1.5h`, `0`) and returns
 * milliseconds; `undefined` when the text is not a non-negative duration.
 */
export function tryParseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gy;
  let totalMs = 0;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return undefined;
    totalMs += Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0);
  }
  return text === '' ? undefined : totalMs;
}

/**
 * Like {@link tryParseDuration}, for text that must be one.
 *
 * @throws FnletError `InvalidDuration`
 */
export function parseDuration(text: string): number {
  const durationMs = tryParseDuration(text);
  if (durationMs === undefined) {
    throw new FnletError(
      'InvalidDuration',
      `Cannot read duration "${text}": expected a number with a unit, such as 500ms, 30s or 1m30s`,
    );
  }
  return durationMs;
}

const isoUnitsMs = { W: 7 * 86_400_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000 } as const;

const [weeks, days, hours, minutes, seconds] = Object.keys(isoUnitsMs).map(
  (unit) => String.raw`(?:(\d+(?:\.\d+)?)${unit})?`,
);
const iso = new RegExp(`^P(?=.)${weeks}${days}(?:T(?=.)${hours}${minutes}${seconds})?$`);

/**
 * Reads a duration as ISO 8601 writes it (`PT0.2S`, `PT1M30S`, `P1D`) and returns milliseconds;
 * `undefined` when the text is not one. Years and months have no fixed length and are none.
 */
export function tryParseIsoDuration(text: string): number | undefined {
  const parts = iso.exec(text);
  if (parts === null) return undefined;
  const units = Object.values(isoUnitsMs);
  return units.reduce((sumMs, unitMs, n) => sumMs + Number(parts[n + 1] ?? 0) * unitMs, 0);
}
