import { celCompileError } from './cel-error.ts';

/** A piece of a CEL expression (cel-spec, langdef: lexis). */
export type CelToken =
  | { readonly kind: 'identifier' | 'operator' | 'end'; readonly text: string; readonly at: number }
  | { readonly kind: 'int' | 'uint'; readonly value: bigint; readonly at: number }
  | { readonly kind: 'double'; readonly value: number; readonly at: number }
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'bytes'; readonly value: Uint8Array; readonly at: number };

/** Words that can be no identifiers (cel-spec, langdef: RESERVED). */
export const celReservedWords: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let'],
  ...['loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

const space = /(?:[ \t\n\f\r]+|\/\/[^\n]*)*/y;
const identifier = /[_a-zA-Z][_a-zA-Z0-9]*|`[a-zA-Z0-9_.\-/ ]+`/y;
const number =
  /0x[0-9a-fA-F]+u?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+u?|\.\d+(?:[eE][+-]?\d+)?/iy;
const operator = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;
const quotes = /(?:[rR][bB]?|[bB][rR]?)?("""|'''|"|')/y;

/** Splits an expression. Throws a CelError for text that is no token. */
export function celTokens(source: string): readonly CelToken[] {
  const tokens: CelToken[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  for (;;) {
    at += match(space)?.length ?? 0;
    if (at >= source.length) break;
    const opening = match(quotes);
    if (opening !== undefined) {
      const literal = readString(source, at, opening);
      tokens.push(literal.token);
      at = literal.end;
      continue;
    }
    const matched = [match(identifier), match(number), match(operator)] as const;
    const token = readWord(matched, at);
    if (token === undefined) {
      const found = JSON.stringify(source.charAt(at));
      throw celCompileError(source, at, `Syntax error: token recognition error at: ${found}`);
    }
    tokens.push(token.token);
    at += token.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return tokens;
}

function readWord(
  [word, digits, symbol]: readonly (string | undefined)[],
  at: number,
): { readonly token: CelToken; readonly length: number } | undefined {
  if (word !== undefined) {
    const text = word.startsWith('`') ? word.slice(1, -1) : word;
    return { token: { kind: 'identifier', text, at }, length: word.length };
  }
  if (digits !== undefined) return { token: readNumber(digits, at), length: digits.length };
  if (symbol === undefined) return undefined;
  return { token: { kind: 'operator', text: symbol, at }, length: symbol.length };
}

function readNumber(text: string, at: number): CelToken {
  if (!/^0x/i.test(text) && /[.eE]/.test(text)) return { kind: 'double', value: Number(text), at };
  const isUnsigned = /u$/i.test(text);
  const value = BigInt(isUnsigned ? text.slice(0, -1) : text);
  return { kind: isUnsigned ? 'uint' : 'int', value, at };
}

function readString(
  source: string,
  at: number,
  opening: string,
): { readonly token: CelToken; readonly end: number } {
  const quote =
    opening.endsWith('"""') || opening.endsWith("'''") ? opening.slice(-3) : opening.slice(-1);
  const prefix = opening.slice(0, -quote.length).toLowerCase();
  const isRaw = prefix.includes('r');
  const start = at + opening.length;
  let end = start;
  while (!source.startsWith(quote, end)) {
    const char = source.charAt(end);
    if (char === '' || (quote.length === 1 && char === '\n')) {
      throw celCompileError(source, at, 'Syntax error: unterminated string');
    }
    end += char === '\\' && !isRaw ? 2 : 1;
  }
  const body = source.slice(start, end);
  const after = end + quote.length;
  if (prefix.includes('b')) {
    return {
      token: { kind: 'bytes', value: readBytes({ source, at }, body, isRaw), at },
      end: after,
    };
  }
  const value = isRaw ? body : unescapeText(source, at, body);
  return { token: { kind: 'string', value, at }, end: after };
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['?', '?'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
]);

const escapeForms = [
  'x([0-9a-fA-F]{2})',
  'X([0-9a-fA-F]{2})',
  'u([0-9a-fA-F]{4})',
  'U([0-9a-fA-F]{8})',
  '([0-3][0-7]{2})',
  '([\\s\\S])',
];
const escapeSequence = new RegExp(`\\\\(?:${escapeForms.join('|')})`, 'g');

function unescapeText(source: string, at: number, body: string): string {
  return body.replace(escapeSequence, (whole, x, bigX, u, bigU, octal, simple) => {
    const code = parseCode(x ?? bigX ?? u ?? bigU, octal);
    if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
    const plain = typeof simple === 'string' ? escapes.get(simple) : undefined;
    if (plain !== undefined) return plain;
    throw celCompileError(source, at, `Syntax error: invalid escape sequence ${whole}`);
  });
}

function parseCode(hex: unknown, octal: unknown): number | undefined {
  if (typeof hex === 'string') return Number.parseInt(hex, 16);
  return typeof octal === 'string' ? Number.parseInt(octal, 8) : undefined;
}

// In bytes \x and octal escapes are bytes; all other text is its UTF-8.
function readBytes(
  place: { readonly source: string; readonly at: number },
  body: string,
  isRaw: boolean,
): Uint8Array {
  if (isRaw) return new TextEncoder().encode(body);
  const parts: number[] = [];
  let last = 0;
  for (const match of body.matchAll(escapeSequence)) {
    parts.push(...new TextEncoder().encode(body.slice(last, match.index)));
    const byte = parseCode(match[1] ?? match[2], match[5]);
    if (byte !== undefined) parts.push(byte);
    else parts.push(...new TextEncoder().encode(unescapeText(place.source, place.at, match[0])));
    last = match.index + match[0].length;
  }
  parts.push(...new TextEncoder().encode(body.slice(last)));
  return Uint8Array.from(parts);
}
