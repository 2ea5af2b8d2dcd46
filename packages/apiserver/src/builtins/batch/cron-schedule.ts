// The schedules of CronJobs: five fields, or a name such as `@daily` (robfig/cron, ParseStandard).

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names that stand for numbers, from `min` on. */
  readonly words?: readonly string[];
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const days = 'sun mon tue wed thu fri sat'.split(' ');

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day-of-month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, words: months },
  { name: 'day-of-week', min: 0, max: 6, words: days },
];

const names = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** What is wrong with a schedule; undefined when it is good. */
export function scheduleProblem(text: string): string | undefined {
  const schedule = text.replace(/^(?:CRON_)?TZ=\S+\s+/, '');
  if (schedule.startsWith('@')) return namedProblem(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    const found = `found ${parts.length}: [${parts.join(' ')}]`;
    return `expected exactly ${fields.length} fields, ${found}`;
  }
  for (const [index, field] of fields.entries()) {
    const problem = fieldProblem(parts[index] ?? '', field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function namedProblem(schedule: string): string | undefined {
  if (names.includes(schedule)) return undefined;
  const every = /^@every (.*)$/.exec(schedule)?.[1];
  if (every === undefined) return `unrecognized descriptor: ${schedule}`;
  const isDuration = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(every);
  return isDuration ? undefined : `failed to parse duration ${schedule}: time: invalid duration`;
}

function fieldProblem(text: string, field: Field): string | undefined {
  for (const part of text.split(',')) {
    const problem = rangeProblem(part, field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// `*`, `?`, `n`, `n-m`, each with an optional `/step`.
function rangeProblem(text: string, field: Field): string | undefined {
  const [range = '', step, ...rest] = text.split('/');
  if (rest.length > 0) return `too many slashes: ${text}`;
  const [low = '', high, ...more] = range.split('-');
  if (more.length > 0) return `too many hyphens: ${text}`;
  const isAny = low === '*' || low === '?';
  const start = isAny ? field.min : parse(low, field);
  const end = isAny || (high === undefined && step !== undefined) ? field.max : high;
  const last = typeof end === 'number' ? end : end === undefined ? start : parse(end, field);
  if (start === undefined) return parseProblem(low);
  if (last === undefined) return parseProblem(high ?? '');
  if (step !== undefined && !/^\d+$/.test(step)) return parseProblem(step);
  if (start < field.min)
    return `beginning of range (${start}) below minimum (${field.min}): ${text}`;
  if (last > field.max) return `end of range (${last}) above maximum (${field.max}): ${text}`;
  if (start > last) return `beginning of range (${start}) beyond end of range (${last}): ${text}`;
  return Number(step ?? 1) === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function parse(text: string, { words = [], min }: Field): number | undefined {
  const word = words.indexOf(text.toLowerCase());
  if (word >= 0) return word + min;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function parseProblem(text: string): string {
  const quoted = JSON.stringify(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted}: invalid syntax`;
}

/** Whether the runtime knows a time zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
