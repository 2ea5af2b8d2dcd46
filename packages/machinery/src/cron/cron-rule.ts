import { tryParseDuration } from '@fnlet/base';

/** When something is due, as the text of a schedule says it. */
export type CronRule =
  /** So long after the last time, in whole seconds. */
  | { readonly kind: 'every'; readonly periodMs: number }
  /** When the wall clock shows these numbers. */
  | {
      readonly kind: 'fields';
      readonly seconds: ReadonlySet<number>;
      readonly minutes: ReadonlySet<number>;
      readonly hours: ReadonlySet<number>;
      readonly days: ReadonlySet<number>;
      readonly months: ReadonlySet<number>;
      /** 0 is Sunday. */
      readonly weekdays: ReadonlySet<number>;
      /** Unless one of them is `*`, a day is due that either of them names. */
      readonly isEitherDay: boolean;
    };

export type ParsedCronRule =
  | { readonly kind: 'valid'; readonly rule: CronRule }
  /** `problem` in the words of the API's own refusal. */
  | { readonly kind: 'invalid'; readonly problem: string };

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Words for the numbers from `min` on. */
  readonly words: readonly string[];
}

/** What stands in a field, or in a part of its list. */
interface Numbers {
  readonly values: readonly number[];
  /** Whether it is `*`, and so no choice of its own. */
  readonly isAny: boolean;
}

const sixty: Bounds = { min: 0, max: 59, words: [] };

const bounds: readonly Bounds[] = [
  sixty,
  { min: 0, max: 23, words: [] },
  { min: 1, max: 31, words: [] },
  { min: 1, max: 12, words: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { min: 0, max: 6, words: 'sun mon tue wed thu fri sat'.split(' ') },
];

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * Reads a schedule in the language of Kubernetes (github.com/robfig/cron v3, ParseStandard): five
 * fields, names of months and weekdays, lists, ranges, steps, `@daily` and the like, `@every 1h`.
 * A time zone in the text (`TZ=`) is no part of it: a CronJob has a field for its own.
 *
 * @param options.seconds whether a sixth field may stand before the others, for the second; in
 *   those of Kubernetes it may not.
 */
export function parseCronRule(
  text: string,
  { seconds: mayHaveSeconds = false }: { readonly seconds?: boolean } = {},
): ParsedCronRule {
  const macro = macros.get(text);
  if (macro === undefined && text.startsWith('@')) return parseDescriptor(text);
  const parts = (macro ?? text).split(/\s+/).filter((part) => part !== '');
  const count = bounds.length;
  const hasSeconds = mayHaveSeconds && parts.length === count + 1;
  if (!hasSeconds && parts.length !== count) {
    const expected = mayHaveSeconds ? `${count} or ${count + 1}` : `exactly ${count}`;
    return invalid(`expected ${expected} fields, found ${parts.length}: [${parts.join(' ')}]`);
  }
  if (!hasSeconds) parts.unshift('0');
  const fields: Numbers[] = [];
  for (const [index, field] of [sixty, ...bounds].entries()) {
    const numbers = parseField(parts[index] ?? '', field);
    if (typeof numbers === 'string') return invalid(numbers);
    fields.push(numbers);
  }
  const sets = fields.map(({ values }) => new Set(values));
  const [seconds, minutes, hours, days, months, weekdays] = sets;
  const isEitherDay = fields[3]?.isAny === false && fields[5]?.isAny === false;
  const none = new Set<number>();
  return valid({
    kind: 'fields',
    ...{
      seconds: seconds ?? none,
      minutes: minutes ?? none,
      hours: hours ?? none,
      days: days ?? none,
    },
    ...{ months: months ?? none, weekdays: weekdays ?? none, isEitherDay },
  });
}

function parseDescriptor(text: string): ParsedCronRule {
  const every = /^@every (-?)(.*)$/s.exec(text);
  if (every === null) return invalid(`unrecognized descriptor: ${text}`);
  const [, sign = '', amount = ''] = every;
  const periodMs = tryParseDuration(amount);
  if (periodMs === undefined) {
    const quoted = JSON.stringify(sign + amount);
    return invalid(`failed to parse duration ${text}: time: invalid duration ${quoted}`);
  }
  // Nothing is due more often than every second.
  const seconds = sign === '' ? Math.max(1, Math.floor(periodMs / 1000)) : 1;
  return valid({ kind: 'every', periodMs: seconds * 1000 });
}

/** The numbers of a comma-separated list; a text says what is wrong with it. */
function parseField(text: string, field: Bounds): Numbers | string {
  const values: number[] = [];
  let isAny = false;
  for (const part of text.split(',').filter((item) => item !== '')) {
    const numbers = parseRange(part, field);
    if (typeof numbers === 'string') return numbers;
    values.push(...numbers.values);
    isAny ||= numbers.isAny;
  }
  return { values, isAny };
}

// `*`, `?`, `n`, `n-m`, each with an optional `/step`.
function parseRange(text: string, field: Bounds): Numbers | string {
  const [range = '', ...steps] = text.split('/');
  const [low = '', ...highs] = range.split('-');
  const isAny = low === '*' || low === '?';
  const from = isAny ? field.min : parseNumber(low, field);
  if (typeof from === 'string') return from;
  if (!isAny && highs.length > 1) return `too many hyphens: ${text}`;
  const [high] = highs;
  // `5/15` means from 5 on.
  const last = steps.length > 0 ? field.max : from;
  const to = isAny ? field.max : high === undefined ? last : parseNumber(high, field);
  if (typeof to === 'string') return to;
  if (steps.length > 1) return `too many slashes: ${text}`;
  const step = parseNumber(steps[0] ?? '1', { words: [], min: 0 });
  if (typeof step === 'string') return step;
  if (from < field.min) return `beginning of range (${from}) below minimum (${field.min}): ${text}`;
  if (to > field.max) return `end of range (${to}) above maximum (${field.max}): ${text}`;
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${text}`;
  if (step === 0) return `step of range should be a positive number: ${text}`;
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  // Every second day is a choice.
  return { values, isAny: isAny && step === 1 };
}

function parseNumber(text: string, { words, min }: Omit<Bounds, 'max'>): number | string {
  const word = words.indexOf(text.toLowerCase());
  if (word >= 0) return word + min;
  if (/^-\d+$/.test(text)) return `negative number (${Number(text)}) not allowed: ${text}`;
  if (/^\+?\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted}: invalid syntax`;
}

function valid(rule: CronRule): ParsedCronRule {
  return { kind: 'valid', rule };
}

function invalid(problem: string): ParsedCronRule {
  return { kind: 'invalid', problem };
}
