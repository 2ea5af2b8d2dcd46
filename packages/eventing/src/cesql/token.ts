/** The words of an expression. */
import { CesqlError } from './cesql-error.ts';

export type TokenKind = 'keyword' | 'name' | 'function' | 'integer' | 'text' | 'sign' | 'end';

/** One word and where it stands. */
export interface Token {
  readonly kind: TokenKind;
  /** Keywords and names of functions in upper case, names of attributes in lower case. */
  readonly text: string;
  readonly position: number;
}

const keywords = new Set(['AND', 'OR', 'XOR', 'NOT', 'LIKE', 'EXISTS', 'IN', 'TRUE', 'FALSE']);
// A quote is written inside with a backslash before it, or twice.
const words =
  /(?<space>[ \t\r\n]+)|(?<sign>!=|<>|>=|<=|[=<>+\-*/%(),])|(?<quoted>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")|(?<word>\w+)|./gsu;

/**
 * The words of a text, the last one says that it ends.
 *
 * @throws CesqlError
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { index, groups = {} } of text.matchAll(words)) {
    const { space, sign, quoted, word } = groups;
    if (space !== undefined) continue;
    if (sign === '(') nameFunction(tokens);
    if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, position: index });
    else if (quoted !== undefined) {
      tokens.push({ kind: 'text', text: unquote(quoted), position: index });
    } else if (word !== undefined) tokens.push(readWord(word, index));
    else throw new CesqlError(text, index, 'a name, a literal or an operator');
  }
  tokens.push({ kind: 'end', text: '', position: text.length });
  const wrong = tokens.find(({ kind, text: name }) => kind === 'name' && name.includes('_'));
  if (wrong === undefined) return tokens;
  throw new CesqlError(text, wrong.position, 'a name without underscores');
}

function readWord(word: string, position: number): Token {
  const upper = word.toUpperCase();
  if (keywords.has(upper)) return { kind: 'keyword', text: upper, position };
  if (/^\d+$/.test(word)) return { kind: 'integer', text: word, position };
  return { kind: 'name', text: word.toLowerCase(), position };
}

/** A name with a parenthesis after it is that of a function. */
function nameFunction(tokens: Token[]): void {
  const last = tokens.at(-1);
  if (last?.kind !== 'name' || !/^[a-z][a-z_]*$/.test(last.text)) return;
  tokens[tokens.length - 1] = { ...last, kind: 'function', text: last.text.toUpperCase() };
}

function unquote(literal: string): string {
  const quote = literal.charAt(0);
  return literal
    .slice(1, -1)
    .replace(/\\.|''|""/gsu, (pair) => (pair.endsWith(quote) ? quote : pair));
}
