import { regexDepthMax } from './limits.ts';
import {
  type CharClass,
  codePointMax,
  complement,
  perlClasses,
  posixClasses,
  propertyTest,
  rangeClass,
} from './regex-class.ts';

/** A parsed regular expression (RE2's syntax, as Go's regexp/syntax reads it). */
export type RegexNode =
  | { readonly kind: 'chars'; readonly set: CharClass }
  | { readonly kind: 'assertion'; readonly assertion: RegexAssertion }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly items: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly item: RegexNode;
      readonly min: number;
      /** `undefined` when there is no upper bound. */
      readonly max: number | undefined;
      readonly greedy: boolean;
    };

export type RegexAssertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'word' | 'notWord';

/** Parses a pattern. Throws a SyntaxError in Go's words. */
export function parseRegex(pattern: string): RegexNode {
  const parser = new RegexParser(pattern);
  return parser.parse();
}

interface Flags {
  readonly fold: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly swapGreed: boolean;
}

function failure(text: string, part: string): SyntaxError {
  return new SyntaxError(`error parsing regexp: ${text}: \`${part}\``);
}

const repeatMax = 1000;
const newline: CharClass['ranges'] = [[0x0a, 0x0a]];
const simpleEscapes: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);

/** Recursive descent; one parser reads one pattern. */
class RegexParser {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { fold: false, multiline: false, dotAll: false, swapGreed: false };

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): RegexNode {
    const node = this.#choice();
    if (this.#at < this.#pattern.length) throw failure('unexpected )', this.#pattern);
    return node;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(pattern, 'uy');
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#pattern);
    if (match === null) return undefined;
    this.#at = sticky.lastIndex;
    return match;
  }

  #choice(): RegexNode {
    this.#depth += 1;
    if (this.#depth > regexDepthMax) {
      throw failure('expression nests too deeply', this.#pattern);
    }
    const items = [this.#sequence()];
    while (this.#take(/\|/) !== undefined) items.push(this.#sequence());
    this.#depth -= 1;
    const [only] = items;
    return only !== undefined && items.length === 1 ? only : { kind: 'choice', items };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    for (;;) {
      const next = this.#pattern.charAt(this.#at);
      if (next === '' || next === '|' || next === ')') break;
      const quoted = this.#take(/\\Q([\s\S]*?)(?:\\E|$)/);
      if (quoted !== undefined) {
        items.push(...[...(quoted[1] ?? '')].map((char) => this.#literal(char)));
        continue;
      }
      const item = this.#item();
      if (item !== undefined) items.push(this.#repeated(item));
    }
    return { kind: 'sequence', items };
  }

  #literal(char: string): RegexNode {
    const code = char.codePointAt(0) ?? 0;
    return { kind: 'chars', set: rangeClass([[code, code]], { fold: this.#flags.fold }) };
  }

  #repeated(item: RegexNode): RegexNode {
    const start = this.#at;
    const repeat = this.#repeat();
    if (repeat === undefined) return item;
    const isLazy = this.#take(/\?/) !== undefined;
    const greedy = isLazy === this.#flags.swapGreed;
    const end = this.#at;
    if (this.#repeat() !== undefined) {
      const part = this.#pattern.slice(start, this.#at);
      throw failure('invalid nested repetition operator', part);
    }
    this.#at = end;
    return { kind: 'repeat', item, ...repeat, greedy };
  }

  #repeat(): { readonly min: number; readonly max: number | undefined } | undefined {
    const match = this.#take(/[*+?]|\{(\d+)(?:(,)(\d*))?\}/);
    if (match === undefined) return undefined;
    const [text, low, comma, high] = match;
    if (low === undefined) {
      return { min: text === '+' ? 1 : 0, max: text === '?' ? 1 : undefined };
    }
    const min = Number(low);
    const max =
      comma === undefined ? min : high === '' || high === undefined ? undefined : Number(high);
    if (min > repeatMax || (max ?? 0) > repeatMax || (max !== undefined && max < min)) {
      throw failure('invalid repeat count', text);
    }
    return { min, max };
  }

  #item(): RegexNode | undefined {
    const group = this.#take(/\(/);
    if (group !== undefined) return this.#group();
    const repeat = this.#take(/[*+?]/);
    if (repeat !== undefined) {
      throw failure('missing argument to repetition operator', repeat[0]);
    }
    if (this.#take(/\[/) !== undefined) return { kind: 'chars', set: this.#bracket() };
    if (this.#take(/\./) !== undefined) {
      const { dotAll } = this.#flags;
      return { kind: 'chars', set: rangeClass(dotAll ? [] : newline, { negated: true }) };
    }
    const { multiline } = this.#flags;
    if (this.#take(/\^/) !== undefined) return assertion(multiline ? 'lineStart' : 'textStart');
    if (this.#take(/\$/) !== undefined) return assertion(multiline ? 'lineEnd' : 'textEnd');
    if (this.#take(/\\A/) !== undefined) return assertion('textStart');
    if (this.#take(/\\z/) !== undefined) return assertion('textEnd');
    if (this.#take(/\\b/) !== undefined) return assertion('word');
    if (this.#take(/\\B/) !== undefined) return assertion('notWord');
    const set = this.#escapedClass();
    if (set !== undefined) return { kind: 'chars', set: { ...set, fold: this.#flags.fold } };
    const code = this.#code();
    return { kind: 'chars', set: rangeClass([[code, code]], { fold: this.#flags.fold }) };
  }

  // A group keeps the flags that it sets to itself; `(?i)` alone sets them for what follows.
  #group(): RegexNode | undefined {
    const outer = this.#flags;
    const start = this.#at - 1;
    if (this.#take(/\?P?<[A-Za-z_][A-Za-z0-9_]*>/) === undefined) {
      const flags = this.#take(/\?([imsU]*)(?:-([imsU]+))?([:)])/);
      if (flags !== undefined) {
        this.#flags = withFlags(withFlags(outer, flags[1] ?? '', true), flags[2] ?? '', false);
        if (flags[3] === ')') return undefined;
      } else if (this.#pattern.charAt(this.#at) === '?') {
        const part = this.#pattern.slice(start, this.#at + 2);
        throw failure('invalid or unsupported Perl syntax', part);
      }
    }
    const node = this.#choice();
    if (this.#take(/\)/) === undefined) throw failure('missing closing )', this.#pattern);
    this.#flags = outer;
    return node;
  }

  /** \d, \pL and their kin, after which the pattern goes on; `undefined` for anything else. */
  #escapedClass(): CharClass | undefined {
    const perl = this.#take(/\\([dDwWsS])/);
    if (perl !== undefined) return rangeClass(perlClasses.get(perl[1] ?? '') ?? []);
    const property = this.#take(/\\([pP])(?:\{(\^?)([^}]*)\}|([A-Za-z]))/);
    if (property === undefined) return undefined;
    const [text, letter, caret, long, short] = property;
    const test = propertyTest(long ?? short ?? '');
    if (test === undefined) throw failure('invalid character class range', text);
    const negated = (letter === 'P') !== (caret === '^');
    return { ranges: [], properties: [{ test, negated }], negated: false, fold: false };
  }

  /** One character, escaped or not. */
  #code(): number {
    const plain = this.#take(/[^\\]/);
    if (plain !== undefined) return plain[0].codePointAt(0) ?? 0;
    const hex = this.#take(/\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/);
    if (hex !== undefined)
      return this.#checked(Number.parseInt(hex[1] ?? hex[2] ?? '', 16), hex[0]);
    const octal = this.#take(/\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/);
    if (octal !== undefined) return Number.parseInt(octal[1] ?? '', 8);
    const escaped = this.#take(/\\([\s\S])/);
    if (escaped === undefined) throw failure('trailing backslash at end of expression', '');
    const char = escaped[1] ?? '';
    const simple = simpleEscapes.get(char);
    if (simple !== undefined) return simple;
    if (/[A-Za-z0-9]/.test(char)) throw failure('invalid escape sequence', escaped[0]);
    return char.codePointAt(0) ?? 0;
  }

  #checked(code: number, part: string): number {
    if (code > codePointMax) throw failure('invalid escape sequence', part);
    return code;
  }

  #bracket(): CharClass {
    const start = this.#at - 1;
    const negated = this.#take(/\^/) !== undefined;
    const ranges: (readonly [number, number])[] = [];
    const properties: CharClass['properties'][number][] = [];
    for (let isFirst = true; ; isFirst = false) {
      if (this.#at >= this.#pattern.length) {
        throw failure('missing closing ]', this.#pattern.slice(start));
      }
      if (!isFirst && this.#take(/\]/) !== undefined) break;
      const set = this.#posixClass() ?? this.#escapedClass();
      if (set === undefined) ranges.push(this.#range());
      else {
        ranges.push(...set.ranges);
        properties.push(...set.properties);
      }
    }
    return { ranges, properties, negated, fold: this.#flags.fold };
  }

  #posixClass(): CharClass | undefined {
    const posix = this.#take(/\[:(\^?)(\w*):\]/);
    if (posix === undefined) return undefined;
    const ranges = posixClasses.get(posix[2] ?? '');
    if (ranges === undefined) throw failure('invalid character class range', posix[0]);
    return rangeClass(posix[1] === '^' ? complement(ranges) : ranges);
  }

  #range(): readonly [number, number] {
    const start = this.#at;
    const first = this.#code();
    if (this.#take(/-(?!\])/) === undefined) return [first, first];
    const last = this.#code();
    if (last < first) {
      throw failure('invalid character class range', this.#pattern.slice(start, this.#at));
    }
    return [first, last];
  }
}

function assertion(name: RegexAssertion): RegexNode {
  return { kind: 'assertion', assertion: name };
}

function withFlags(flags: Flags, letters: string, value: boolean): Flags {
  const set = (letter: string, before: boolean): boolean =>
    letters.includes(letter) ? value : before;
  return {
    fold: set('i', flags.fold),
    multiline: set('m', flags.multiline),
    dotAll: set('s', flags.dotAll),
    swapGreed: set('U', flags.swapGreed),
  };
}
