import { celError } from './cel-error.ts';
import {
  asDuration,
  asInt,
  asString,
  asTimestamp,
  type CelOverload,
  checkedInt,
  overload,
} from './cel-function.ts';
import type { CelDuration, CelTimestamp, CelValue } from './cel-value.ts';

const nanosPerSecond = 1_000_000_000n;
const firstSecond = -62_135_596_800n; // 0001-01-01
const lastSecond = 253_402_300_799n; // 9999-12-31

export function checkedTimestamp(nanos: bigint): CelTimestamp {
  const seconds = nanos / nanosPerSecond;
  if (seconds < firstSecond || seconds > lastSecond) throw celError('timestamp overflow');
  return { kind: 'timestamp', nanos };
}

export function checkedDuration(nanos: bigint): CelDuration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw celError('duration overflow');
  return { kind: 'duration', nanos };
}

const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})$/;

/** Reads RFC 3339 with up to nine digits of a second; `undefined` when the text is none. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '', fraction = '', zone = ''] = match;
  const epochMs = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(epochMs)) return undefined;
  return {
    kind: 'timestamp',
    nanos: BigInt(epochMs) * 1_000_000n + BigInt(fraction.padEnd(9, '0')),
  };
}

// The Greek letter stands as an escape: as itself it would double the memory that V8 takes for the
// text of the whole bundle, whose other letters are one byte each.
const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', nanosPerSecond],
  ['m', 60n * nanosPerSecond],
  ['h', 3600n * nanosPerSecond],
]);

/** Reads a duration as Go writes it, sign included; `undefined` when the text is none. */
export function parseCelDuration(text: string): CelDuration | undefined {
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return { kind: 'duration', nanos: 0n };
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|\u03bcs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(
    /(\d*)\.?(\d*)([a-zµ\u03bc]+)/g,
  )) {
    const size = unitNanos.get(unit) ?? 0n;
    const digits = fraction.slice(0, 15);
    nanos += BigInt(whole === '' ? '0' : whole) * size;
    nanos += (BigInt(digits === '' ? '0' : digits) * size) / 10n ** BigInt(digits.length);
  }
  return { kind: 'duration', nanos: text.startsWith('-') ? -nanos : nanos };
}

/** The canonical text of a timestamp. */
export function formatTimestamp({ nanos }: CelTimestamp): string {
  const seconds = floorDivide(nanos, nanosPerSecond);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const fraction = String(nanos - seconds * nanosPerSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${text}Z` : `${text}.${fraction}Z`;
}

/** The canonical text of a duration: seconds with their fraction, such as `3600s`. */
export function formatDuration({ nanos }: CelDuration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % nanosPerSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const text = `${size / nanosPerSecond}${fraction === '' ? '' : `.${fraction}`}s`;
  return nanos < 0n ? `-${text}` : text;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** The parts of a date in a time zone: UTC, `+02:00`, or a name such as `Europe/Berlin`. */
function zonedDate({ nanos }: CelTimestamp, zone: string | undefined): Date {
  const epochMs = Number(floorDivide(nanos, 1_000_000n));
  if (zone === undefined || zone === 'UTC' || zone === '') return new Date(epochMs);
  const offset = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(epochMs + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  return inNamedZone(epochMs, zone);
}

function inNamedZone(epochMs: number, timeZone: string): Date {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const local = Date.parse(`${format.format(new Date(epochMs)).replace(' ', 'T')}Z`);
    return new Date(local + (((epochMs % 1000) + 1000) % 1000));
  } catch {
    throw celError(`unknown time zone ${timeZone}`);
  }
}

function part(name: string, read: (date: Date) => number): readonly CelOverload[] {
  const call = (args: readonly CelValue[]): CelValue =>
    BigInt(
      read(zonedDate(asTimestamp(args[0]), args[1] === undefined ? undefined : asString(args[1]))),
    );
  return [
    overload(`timestamp.${name}(): int`, call),
    overload(`timestamp.${name}(string): int`, call),
  ];
}

function total(name: string, unit: bigint): CelOverload {
  return overload(`duration.${name}(): int`, ([duration]) => asDuration(duration).nanos / unit);
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

function readTimestamp(text: CelValue | undefined): CelTimestamp {
  const parsed = parseTimestamp(asString(text));
  if (parsed === undefined) throw celError(`invalid timestamp ${JSON.stringify(text)}`);
  return checkedTimestamp(parsed.nanos);
}

function readDuration(text: CelValue | undefined): CelDuration {
  const parsed = parseCelDuration(asString(text));
  if (parsed === undefined) throw celError(`invalid duration ${JSON.stringify(text)}`);
  return checkedDuration(parsed.nanos);
}

function checkWith(
  read: (text: CelValue) => unknown,
): (args: readonly (CelValue | undefined)[]) => void {
  return ([text]) => {
    if (text !== undefined) read(text);
  };
}

/** Timestamps and durations. */
export const celTimeFunctions = (): readonly CelOverload[] => [
  overload('timestamp(timestamp): timestamp', ([value]) => asTimestamp(value)),
  overload('timestamp(int): timestamp', ([seconds]) =>
    checkedTimestamp(asInt(seconds) * nanosPerSecond),
  ),
  overload(
    'timestamp(string): timestamp',
    ([text]) => readTimestamp(text),
    checkWith(readTimestamp),
  ),
  overload('duration(duration): duration', ([value]) => asDuration(value)),
  overload('duration(int): duration', ([seconds]) =>
    checkedDuration(asInt(seconds) * nanosPerSecond),
  ),
  overload('duration(string): duration', ([text]) => readDuration(text), checkWith(readDuration)),
  overload('int(timestamp): int', ([value]) =>
    checkedInt(floorDivide(asTimestamp(value).nanos, nanosPerSecond)),
  ),
  overload('int(duration): int', ([value]) => asDuration(value).nanos),
  ...part('getFullYear', (date) => date.getUTCFullYear()),
  ...part('getMonth', (date) => date.getUTCMonth()),
  ...part('getDate', (date) => date.getUTCDate()),
  ...part('getDayOfMonth', (date) => date.getUTCDate() - 1),
  ...part('getDayOfWeek', (date) => date.getUTCDay()),
  ...part('getDayOfYear', dayOfYear),
  ...part('getHours', (date) => date.getUTCHours()),
  ...part('getMinutes', (date) => date.getUTCMinutes()),
  ...part('getSeconds', (date) => date.getUTCSeconds()),
  ...part('getMilliseconds', (date) => date.getUTCMilliseconds()),
  total('getHours', 3600n * nanosPerSecond),
  total('getMinutes', 60n * nanosPerSecond),
  total('getSeconds', nanosPerSecond),
  total('getMilliseconds', 1_000_000n),
];
