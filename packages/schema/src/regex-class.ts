/** A set of characters, by code point. */
export interface CharClass {
  /** Pairs of first and last code point. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Unicode properties; a JavaScript expression tests one character. */
  readonly properties: readonly { readonly test: RegExp; readonly negated: boolean }[];
  readonly negated: boolean;
  /** Whether case does not matter. */
  readonly fold: boolean;
}

export const codePointMax = 0x10ffff;

export function rangeClass(
  ranges: CharClass['ranges'],
  options: { readonly negated?: boolean; readonly fold?: boolean } = {},
): CharClass {
  const { negated = false, fold = false } = options;
  return { ranges, properties: [], negated, fold };
}

/** Everything that `ranges` does not hold. */
export function complement(ranges: CharClass['ranges']): CharClass['ranges'] {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    if (first > next) rest.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next > codePointMax ? rest : [...rest, [next, codePointMax]];
}

const digits: CharClass['ranges'] = [[0x30, 0x39]];
const lower: CharClass['ranges'] = [[0x61, 0x7a]];
const upper: CharClass['ranges'] = [[0x41, 0x5a]];
const word: CharClass['ranges'] = [...digits, ...upper, [0x5f, 0x5f], ...lower];
const space: CharClass['ranges'] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

/** \d \w \s, which know ASCII only, and their opposites. */
export const perlClasses: ReadonlyMap<string, CharClass['ranges']> = new Map([
  ['d', digits],
  ['w', word],
  ['s', space],
  ['D', complement(digits)],
  ['W', complement(word)],
  ['S', complement(space)],
]);

/** [:alpha:] and its kin. */
export const posixClasses: ReadonlyMap<string, CharClass['ranges']> = new Map([
  ['alnum', [...digits, ...upper, ...lower]],
  ['alpha', [...upper, ...lower]],
  ['ascii', [[0, 0x7f]]],
  [
    'blank',
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    'cntrl',
    [
      [0, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ['digit', digits],
  ['graph', [[0x21, 0x7e]]],
  ['lower', lower],
  ['print', [[0x20, 0x7e]]],
  [
    'punct',
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  [
    'space',
    [
      [0x09, 0x0d],
      [0x20, 0x20],
    ],
  ],
  ['upper', upper],
  ['word', word],
  ['xdigit', [...digits, [0x41, 0x46], [0x61, 0x66]]],
]);

/** The test of \p{name}: a general category or a script; `undefined` for an unknown one. */
export function propertyTest(name: string): RegExp | undefined {
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  if (name === 'Any') return /[\s\S]/u;
  for (const property of [`gc=${name}`, `sc=${name}`]) {
    try {
      return new RegExp(`^\\p{${property}}$`, 'u');
    } catch {
      // Not a property of this sort; the next one may know the name.
    }
  }
  return undefined;
}

export function isInClass(set: CharClass, code: number): boolean {
  return (
    (set.fold ? foldings(code).some((one) => holds(set, one)) : holds(set, code)) !== set.negated
  );
}

function holds({ ranges, properties }: CharClass, code: number): boolean {
  for (const [first, last] of ranges) if (code >= first && code <= last) return true;
  if (properties.length === 0) return false;
  const char = String.fromCodePoint(code);
  return properties.some(({ test, negated }) => test.test(char) !== negated);
}

function foldings(code: number): readonly number[] {
  const char = String.fromCodePoint(code);
  const variants = [char.toLowerCase(), char.toUpperCase()].map((text) => text.codePointAt(0));
  return [code, ...variants.filter((variant) => variant !== undefined)];
}

export function isWordCode(code: number | undefined): boolean {
  return code !== undefined && word.some(([first, last]) => code >= first && code <= last);
}
