import { celError } from './cel-error.ts';
import { formatText } from './cel-format.ts';
import {
  asInt,
  asList,
  asString,
  type CelMachine,
  type CelOverload,
  overload,
} from './cel-function.ts';
import { type CelValue, celItems, celList } from './cel-value.ts';
import { compileRegex } from './regex.ts';

/**
 * Functions on strings: the standard ones, those of cel-go's strings extension, and Kubernetes'
 * find and findAll. Positions count code points, and every call is charged by the text's length.
 */
export const celStringFunctions = (): readonly CelOverload[] => [
  test('contains', (text, part) => text.includes(part)),
  test('startsWith', (text, part) => text.startsWith(part)),
  test('endsWith', (text, part) => text.endsWith(part)),
  overload('matches(string, string): bool', matches, checkPattern),
  overload('string.matches(string): bool', matches, checkPattern),
  overload('string.find(string): string', ([text, pattern], machine) => {
    const found = search(text, pattern, machine).next();
    return found.done === true ? '' : found.value;
  }),
  overload('string.findAll(string): list<string>', ([text, pattern], machine) =>
    celList([...search(text, pattern, machine)]),
  ),
  overload('string.findAll(string, int): list<string>', ([text, pattern, limit], machine) => {
    const found = search(text, pattern, machine);
    const count = asInt(limit);
    return celList([...(count < 0n ? found : found.take(Number(count)))]);
  }),
  overload('string.charAt(int): string', ([text, index], machine) => {
    const chars = points(text, machine);
    return chars[position(index, chars.length)] ?? '';
  }),
  overload('string.indexOf(string): int', ([text, part], machine) =>
    indexOf([text, part], 0n, machine),
  ),
  overload('string.indexOf(string, int): int', ([text, part, from], machine) =>
    indexOf([text, part], asInt(from), machine),
  ),
  overload('string.lastIndexOf(string): int', ([text, part], machine) =>
    lastIndexOf([text, part], undefined, machine),
  ),
  overload('string.lastIndexOf(string, int): int', ([text, part, from], machine) =>
    lastIndexOf([text, part], asInt(from), machine),
  ),
  map('lowerAscii', (text) => text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase())),
  map('upperAscii', (text) => text.replace(/[a-z]+/g, (lower) => lower.toUpperCase())),
  map('trim', (text) => text.replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, '')),
  map('reverse', (text) => [...text].reverse().join('')),
  overload('strings::quote(string): string', ([text], machine) => {
    machine.charge(asString(text).length / 10);
    return JSON.stringify(asString(text));
  }),
  overload('string.replace(string, string): string', (args, machine) =>
    replace(args, -1n, machine),
  ),
  overload('string.replace(string, string, int): string', (args, machine) =>
    replace(args, asInt(args[3]), machine),
  ),
  overload('string.split(string): list<string>', ([text, by], machine) =>
    split([text, by], -1n, machine),
  ),
  overload('string.split(string, int): list<string>', ([text, by, limit], machine) =>
    split([text, by], asInt(limit), machine),
  ),
  overload('string.substring(int): string', ([text, start], machine) => {
    const chars = points(text, machine);
    return chars.slice(position(start, chars.length)).join('');
  }),
  overload('string.substring(int, int): string', ([text, start, end], machine) => {
    const chars = points(text, machine);
    const [first, last] = [position(start, chars.length), position(end, chars.length)];
    if (first > last) throw celError(`invalid substring range. start: ${first}, end: ${last}`);
    return chars.slice(first, last).join('');
  }),
  overload('list<string>.join(): string', ([list], machine) => join(list, '', machine)),
  overload('list<string>.join(string): string', ([list, by], machine) =>
    join(list, asString(by), machine),
  ),
  overload('string.format(list<dyn>): string', ([text, args], machine) => {
    machine.charge(asString(text).length / 10 + asList(args).size);
    const formatted = formatText(asString(text), celItems(asList(args)));
    machine.charge(formatted.length / 10);
    return formatted;
  }),
];

function test(name: string, holds: (text: string, part: string) => boolean): CelOverload {
  return overload(`string.${name}(string): bool`, ([text, part], machine) => {
    machine.charge(asString(text).length / 10);
    return holds(asString(text), asString(part));
  });
}

function map(name: string, change: (text: string) => string): CelOverload {
  return overload(`string.${name}(): string`, ([text], machine) => {
    machine.charge(asString(text).length / 10);
    return change(asString(text));
  });
}

function matches([text, pattern]: readonly CelValue[], machine: CelMachine): boolean {
  const [subject, expression] = [asString(text), asString(pattern)];
  machine.charge(searchCost(subject, expression));
  return machine.regex(expression).test(subject);
}

function checkPattern([, pattern]: readonly (CelValue | undefined)[]): void {
  if (pattern !== undefined) compileRegex(asString(pattern));
}

// Every match is charged as much as the first search: each may read the text to its end, and
// finding where a match lies takes longer than telling that there is one.
function* search(
  text: CelValue | undefined,
  pattern: CelValue | undefined,
  machine: CelMachine,
): Generator<string> {
  const [subject, expression] = [asString(text), asString(pattern)];
  const cost = searchCost(subject, expression) * 5;
  machine.charge(cost);
  for (const found of machine.regex(expression).matches(subject)) {
    yield found;
    machine.charge(cost);
  }
}

function searchCost(subject: string, expression: string): number {
  return (subject.length * (expression.length + 4)) / 40 + 1;
}

function points(text: CelValue | undefined, machine: CelMachine): readonly string[] {
  machine.charge(asString(text).length / 10);
  return [...asString(text)];
}

function position(index: CelValue | undefined, size: number): number {
  const at = asInt(index);
  if (at < 0n || at > BigInt(size)) throw celError(`index out of range: ${at}`);
  return Number(at);
}

// Searching in UTF-16 and counting the code points before the hit.
function indexOf(
  [text, part]: readonly (CelValue | undefined)[],
  from: bigint,
  machine: CelMachine,
): bigint {
  const chars = points(text, machine);
  const start = chars.slice(0, position(from, chars.length)).join('').length;
  const at = asString(text).indexOf(asString(part), start);
  return at < 0 ? -1n : BigInt([...asString(text).slice(0, at)].length);
}

function lastIndexOf(
  [text, part]: readonly (CelValue | undefined)[],
  from: bigint | undefined,
  machine: CelMachine,
): bigint {
  const chars = points(text, machine);
  const last = from === undefined ? chars.length : position(from, chars.length);
  const start = chars.slice(0, last).join('').length;
  const at = asString(text).lastIndexOf(asString(part), start);
  return at < 0 ? -1n : BigInt([...asString(text).slice(0, at)].length);
}

function replace(args: readonly CelValue[], limit: bigint, machine: CelMachine): string {
  const [text, from, to] = [asString(args[0]), asString(args[1]), asString(args[2])];
  machine.charge(text.length / 10);
  const parts = split([text, from], limit < 0n ? -1n : limit + 1n, machine);
  // An empty text is found before every character and at the end, as Go's strings.Replace does.
  if (from === '') return interleave([...text], to, limit);
  return join(parts, to, machine);
}

function interleave(chars: readonly string[], separator: string, limit: bigint): string {
  const times = limit < 0n ? chars.length + 1 : Number(limit);
  const parts = chars.map((char, i) => (i < times ? separator : '') + char);
  return parts.join('') + (times > chars.length ? separator : '');
}

function split(
  args: readonly (CelValue | undefined)[],
  limit: bigint,
  machine: CelMachine,
): CelValue {
  const [text, by] = [asString(args[0]), asString(args[1])];
  machine.charge(text.length / 10);
  if (limit === 0n) return celList([]);
  const parts = by === '' ? [...text] : text.split(by);
  const max = Number(limit);
  if (max < 0 || parts.length <= max) return celList(parts);
  return celList([...parts.slice(0, max - 1), parts.slice(max - 1).join(by)]);
}

function join(list: CelValue | undefined, by: string, machine: CelMachine): string {
  const items = celItems(asList(list)).map((item) => asString(item));
  const length = items.reduce((sum, item) => sum + item.length + by.length, 0);
  machine.charge(length / 10 + items.length);
  return items.join(by);
}
