import { tryParseDuration } from '@fnlet/base';
import { parseCidr, parseIp } from './ip-address.ts';

const uuid = '[0-9a-f]{8}-?[0-9a-f]{4}';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const label = '[\\p{S}\\p{L}0-9](?:[\\p{S}\\p{L}0-9-]{0,61}[\\p{S}\\p{L}0-9])?';
const shortName = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/**
 * The string formats that a CRD may use (apiextensions: supportedVersionedFormats). A format that
 * is not here is an annotation and checks nothing. Upstream ignores dashes in the name, so
 * `date-time` and `datetime` are one. Patterns are those that upstream documents.
 */
const formats = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: matches(/^(?:[^<>@]*<)?[^\s<>@,;:\\"[\]]+@[^\s<>@,;:\\"[\]]+>?$/),
  hostname: isHostname,
  ipv4: (text: string) => parseIp(text)?.family === 4,
  ipv6: (text: string) => parseIp(text)?.family === 6,
  cidr: (text: string) => parseCidr(text) !== undefined,
  mac: matches(/^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2})?$/i),
  uuid: matches(new RegExp(`^${uuid}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i')),
  uuid3: matches(new RegExp(`^${uuid}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i')),
  uuid4: matches(new RegExp(`^${uuid}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')),
  uuid5: matches(new RegExp(`^${uuid}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, 'i')),
  isbn: (text: string) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: isRgbColor,
  byte: (text: string) => text !== '' && base64.test(text),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text: string) => text.length <= 63 && isShortName.test(text),
  k8slongname: (text: string) => text.length <= 253 && isLongName.test(text),
} as const satisfies Record<string, (text: string) => boolean>;

const isShortName = new RegExp(`^${shortName}$`);
const isLongName = new RegExp(`^${shortName}(?:\\.${shortName})*$`);

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map(Object.entries(formats));

/** The check of a string format; `undefined` when the format is not checked. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  return checks.get(format.replaceAll('-', ''));
}

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

// Go's url.ParseRequestURI: an absolute URI, or an absolute path.
function isRequestUri(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text)) return false;
  return text.startsWith('/') || (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text));
}

function isHostname(text: string): boolean {
  const whole = new RegExp(`^(?:${label}|(?:${label}\\.)+[a-zA-Z\\p{L}]{2,63})$`, 'u');
  return text.length <= 255 && whole.test(text);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((s, c, i) => s + (c === 'X' ? 10 : Number(c)) * (10 - i), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((s, c, i) => s + Number(c) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

/** The numbers of the known issuers, by their first digits and length. */
const cardNumbers: readonly RegExp[] = [
  /^4\d{12}(?:\d{3})?$/,
  /^5[1-5]\d{14}$/,
  /^6(?:011|5\d\d)\d{12}$/,
  /^3[47]\d{13}$/,
  /^3(?:0[0-5]|[68]\d)\d{11}$/,
  /^(?:2131|1800|35\d{3})\d{11}$/,
];

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!cardNumbers.some((pattern) => pattern.test(digits))) return false;
  const sum = [...digits].reverse().reduce((s, c, i) => {
    const doubled = i % 2 === 0 ? Number(c) : Number(c) * 2;
    return s + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return match?.slice(1).every((part) => Number(part) <= 255) ?? false;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number);
  const date = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return false;
  return (
    date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day
  );
}

function isDateTime(text: string): boolean {
  const match = /^(.{10})[tT](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[zZ]|[+-]\d{2}:?\d{2})$/.exec(
    text,
  );
  if (match === null || !isDate(match[1] ?? '')) return false;
  const [hour, minute, second] = match.slice(2).map(Number);
  return (hour ?? 24) < 24 && (minute ?? 60) < 60 && (second ?? 60) < 60;
}

const scalaUnits = [
  'ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?',
  's|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?',
];
const scalaDuration = new RegExp(`^\\s*\\d+\\s*(?:${scalaUnits.join('|')})\\s*$`);

// Go's own form, or Scala's: "22 ns", "5 minutes".
function isDuration(text: string): boolean {
  const unsigned = text.replace(/^[+-]/, '');
  if (tryParseDuration(unsigned) !== undefined) return true;
  return scalaDuration.test(text);
}
