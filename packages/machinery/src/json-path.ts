import { isJsonObject, jsonEqual } from '@fnlet/base';
import { MachineryError } from './machinery-error.ts';
import { ownValue } from './own-property.ts';

/** Everything that a path selects in a value, in document order; missing fields select nothing. */
export type JsonPath = (value: unknown) => unknown[];

type Step = (value: unknown) => readonly unknown[];

/**
 * Reads the JSONPath of printer columns, selectable fields, scale subresources and kubectl:
 * `.spec.x`, `.metadata.labels.a\.b`, `['a.b']`, `[0]`, `[-1]`, `[0:2]`, `[*]`, `.*` and filters
 * such as `[?(@.type=="Ready")]`. A leading `$` and surrounding braces are optional.
 *
 * @throws MachineryError `InvalidJsonPath`
 */
export function parseJsonPath(text: string): JsonPath {
  const inner = /^\{(.*)\}$/s.exec(text)?.[1] ?? text;
  const steps = parseSteps(inner.startsWith('$') ? inner.slice(1) : inner, text);
  return (value) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [value]);
}

const fieldStep = /\.((?:\\.|[^.[\]\\\s])+)/y;
const quotedStep = /\[\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/y;
const wildcardStep = /\.\*|\[\*\]/y;
const sliceStep = /\[(-?\d*)(:?)(-?\d*)\]/y;
const filterStep =
  /\[\?\(\s*@((?:\.(?:\\.|[^.[\]\\\s=!<>)])+|\['[^']*'\]|\["[^"]*"\]|\[\d+\])*)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s)]+)\s*)?\)\]/y;

function parseSteps(path: string, whole: string): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(path);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  // A lone dot is the value itself.
  if (path === '.' || path === '') return [];
  while (at < path.length) {
    const step = readStep(read, whole);
    if (step === undefined) throw unreadable(whole, path.slice(at));
    steps.push(step);
  }
  return steps;
}

function readStep(
  read: (pattern: RegExp) => RegExpExecArray | null,
  whole: string,
): Step | undefined {
  if (read(wildcardStep) !== null) return children;
  const field = read(fieldStep)?.[1];
  if (field !== undefined) return fieldOf(withoutEscapes(field));
  const quoted = read(quotedStep);
  if (quoted !== null) return fieldOf(withoutEscapes(quoted[1] ?? quoted[2] ?? ''));
  const filter = read(filterStep);
  if (filter !== null) return filterOf(filter, whole);
  const slice = read(sliceStep);
  return slice === null ? undefined : sliceOf(slice);
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

function fieldOf(name: string): Step {
  return (value) => {
    const found = isJsonObject(value) ? ownValue(value, name) : undefined;
    return found === undefined ? [] : [found];
  };
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function sliceOf([, from = '', colon = '', to = '']: RegExpExecArray): Step | undefined {
  const start = from === '' ? 0 : Number(from);
  if (colon === '') {
    if (from === '') return undefined;
    return (value) => (Array.isArray(value) ? value.slice(start).slice(0, 1) : []);
  }
  const end = to === '' ? undefined : Number(to);
  return (value) => (Array.isArray(value) ? value.slice(start, end) : []);
}

function filterOf([, path = '', operator, literal = '']: RegExpExecArray, whole: string): Step {
  const select = parseJsonPath(path);
  if (operator === undefined) {
    return (value) => children(value).filter((item) => select(item).length > 0);
  }
  const wanted = parseLiteral(literal, whole);
  return (value) =>
    children(value).filter((item) => select(item).some((found) => holds(found, operator, wanted)));
}

function parseLiteral(text: string, whole: string): unknown {
  if (/^['"]/.test(text)) return withoutEscapes(text.slice(1, -1));
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw unreadable(whole, text);
}

function holds(found: unknown, operator: string, wanted: unknown): boolean {
  if (operator === '==') return jsonEqual(found, wanted);
  if (operator === '!=') return !jsonEqual(found, wanted);
  const order = compare(found, wanted);
  if (order === undefined) return false;
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

function compare(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : +(a > b);
  return undefined;
}

function unreadable(path: string, rest: string): MachineryError {
  return new MachineryError(
    'InvalidJsonPath',
    `Cannot read JSONPath "${path}": found "${rest}", ` +
      'expected .field, [\'field\'], [0], [*] or [?(@.field=="value")]',
  );
}
