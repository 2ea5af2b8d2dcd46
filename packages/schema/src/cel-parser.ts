import { celCompileError } from './cel-error.ts';
import { expandMacro } from './cel-macro.ts';
import type { CelEntry, CelField, CelItem, CelNode } from './cel-syntax.ts';
import { type CelToken, celReservedWords, celTokens } from './cel-token.ts';
import { celDepthMax, celExpressionLengthMax } from './limits.ts';

/** Parses a CEL expression and expands its macros. Throws a CelError (`CelCompilationFailed`). */
export function parseCel(source: string): CelNode {
  if (source.length > celExpressionLengthMax) {
    const text =
      `expression code point size exceeds limit: size: ${source.length}, limit ` +
      `${celExpressionLengthMax}`;
    throw celCompileError('', 0, text);
  }
  return new CelParser(source).parse();
}

const relations: ReadonlySet<string> = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);

const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Recursive descent over the grammar of cel-spec; one parser reads one expression. */
class CelParser {
  readonly #source: string;
  readonly #tokens: readonly CelToken[];
  #next = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = celTokens(source);
  }

  parse(): CelNode {
    const node = this.#expression();
    const token = this.#peek();
    if (token.kind !== 'end') throw this.#unexpected(token);
    return node;
  }

  #peek(): CelToken {
    const last = this.#tokens.length - 1;
    return this.#tokens[Math.min(this.#next, last)] ?? { kind: 'end', text: '<EOF>', at: 0 };
  }

  #isAt(text: string): boolean {
    const token = this.#peek();
    return (token.kind === 'operator' || token.kind === 'identifier') && token.text === text;
  }

  #take(text: string): boolean {
    const found = this.#isAt(text);
    if (found) this.#next += 1;
    return found;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(this.#peek(), text);
  }

  /** `expected` is one thing; by default, whatever an expression may begin with. */
  #unexpected(token: CelToken, expected?: string): Error {
    return this.#unexpectedOf(token, expected === undefined ? beginnings : `'${expected}'`);
  }

  /** `expected` is as ANTLR prints it. */
  #unexpectedOf(token: CelToken, expected: string): Error {
    const found = 'text' in token ? token.text : String(token.value);
    const text = `Syntax error: mismatched input '${found}' expecting ${expected}`;
    return celCompileError(this.#source, token.at, text);
  }

  #limitDepth(depth: number): void {
    if (depth <= celDepthMax) return;
    throw celCompileError(this.#source, this.#peek().at, 'expression recursion limit exceeded');
  }

  #expression(): CelNode {
    this.#depth += 1;
    this.#limitDepth(this.#depth);
    const condition = this.#or();
    const at = this.#peek().at;
    if (this.#take('?')) {
      const then = this.#or();
      this.#expect(':');
      const otherwise = this.#expression();
      this.#depth -= 1;
      return { kind: 'conditional', condition, then, otherwise, at };
    }
    this.#depth -= 1;
    return condition;
  }

  // Long chains of && and || become balanced trees, so that their depth stays small.
  #or(): CelNode {
    return this.#chain('||', 'or', () => this.#chain('&&', 'and', () => this.#relation()));
  }

  #chain(text: string, kind: 'and' | 'or', operand: () => CelNode): CelNode {
    const operands = [operand()];
    while (this.#take(text)) operands.push(operand());
    return balanced(kind, operands);
  }

  #relation(): CelNode {
    let left = this.#sum();
    for (let count = 1; ; count += 1) {
      const token = this.#peek();
      this.#limitDepth(count);
      if (!('text' in token) || !relations.has(token.text)) return left;
      this.#next += 1;
      const name = token.text === 'in' ? '@in' : `_${token.text}_`;
      left = { kind: 'call', name, args: [left, this.#sum()], at: token.at };
    }
  }

  #sum(): CelNode {
    return this.#arithmetic(['+', '-'], () =>
      this.#arithmetic(['*', '/', '%'], () => this.#unary()),
    );
  }

  #arithmetic(operators: readonly string[], operand: () => CelNode): CelNode {
    let left = operand();
    for (let count = 1; ; count += 1) {
      const token = this.#peek();
      this.#limitDepth(count);
      if (token.kind !== 'operator' || !operators.includes(token.text)) return left;
      this.#next += 1;
      left = { kind: 'call', name: `_${token.text}_`, args: [left, operand()], at: token.at };
    }
  }

  #unary(): CelNode {
    const token = this.#peek();
    if (this.#isAt('!') || this.#isAt('-')) {
      let count = 0;
      const text = this.#isAt('!') ? '!' : '-';
      while (this.#take(text)) count += 1;
      return this.#negated(text, count, token.at);
    }
    return this.#member();
  }

  // -9223372036854775808 is a literal, not the negation of a number that is too large.
  #negated(text: string, count: number, at: number): CelNode {
    const token = this.#peek();
    if (text === '-' && token.kind === 'int') {
      this.#next += 1;
      const value = count % 2 === 1 ? -token.value : token.value;
      return this.#suffixes(this.#integer(value, token.at));
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return { kind: 'call', name: text === '!' ? '!_' : '-_', args: [operand], at };
  }

  #member(): CelNode {
    return this.#suffixes(this.#primary());
  }

  #suffixes(start: CelNode): CelNode {
    let node = start;
    for (let count = 0; ; count += 1) {
      const at = this.#peek().at;
      this.#limitDepth(count);
      if (this.#take('.')) node = this.#selection(node, at);
      else if (this.#take('[')) {
        const optional = this.#take('?');
        const index = this.#expression();
        this.#expect(']');
        node = { kind: 'index', operand: node, index, optional, at };
      } else {
        const name = this.#isAt('{') ? qualifiedName(node) : undefined;
        if (name === undefined) return node;
        this.#next += 1;
        node = { kind: 'struct', name, fields: this.#items('}', () => this.#field()), at };
      }
    }
  }

  #selection(operand: CelNode, at: number): CelNode {
    const optional = this.#take('?');
    const token = this.#peek();
    if (token.kind === 'end') {
      const text = "Syntax error: no viable alternative at input '.'";
      throw celCompileError(this.#source, token.at, text);
    }
    if (token.kind !== 'identifier') throw this.#unexpected(token, 'IDENTIFIER');
    this.#next += 1;
    if (optional || !this.#isAt('(')) {
      return { kind: 'select', operand, field: token.text, optional, at };
    }
    // cel-go tells of a call where its arguments begin.
    const open = this.#peek().at;
    const args = this.#arguments();
    const macro = expandMacro({
      name: token.text,
      target: operand,
      args,
      at,
      source: this.#source,
    });
    return macro ?? { kind: 'call', name: token.text, target: operand, args, at: open };
  }

  #arguments(): readonly CelNode[] {
    this.#expect('(');
    const args: CelNode[] = [];
    if (this.#take(')')) return args;
    do args.push(this.#expression());
    while (this.#take(','));
    this.#expect(')');
    return args;
  }

  #primary(): CelNode {
    const token = this.#peek();
    const at = token.at;
    switch (token.kind) {
      case 'int':
        this.#next += 1;
        return this.#integer(token.value, at);
      case 'uint':
        this.#next += 1;
        return { kind: 'literal', value: { kind: 'uint', value: token.value }, at };
      case 'double':
      case 'string':
      case 'bytes':
        this.#next += 1;
        return { kind: 'literal', value: token.value, at };
      case 'identifier':
        return this.#word(token.text, at);
      case 'operator':
        return this.#bracketed(token);
      case 'end':
        throw this.#unexpected(token);
    }
  }

  #integer(value: bigint, at: number): CelNode {
    if (BigInt.asIntN(64, value) !== value) {
      throw celCompileError(this.#source, at, 'Syntax error: invalid int literal');
    }
    return { kind: 'literal', value, at };
  }

  #word(name: string, at: number): CelNode {
    this.#next += 1;
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true', at };
    if (name === 'null') return { kind: 'literal', value: null, at };
    if (celReservedWords.has(name)) {
      throw celCompileError(this.#source, at, `Syntax error: reserved identifier: ${name}`);
    }
    if (!this.#isAt('(')) return { kind: 'identifier', name, at };
    const open = this.#peek().at;
    const args = this.#arguments();
    const macro = expandMacro({ name, args, at, source: this.#source });
    return macro ?? { kind: 'call', name, args, at: open };
  }

  #bracketed(token: CelToken): CelNode {
    const at = token.at;
    if (this.#take('(')) {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (this.#take('[')) return { kind: 'list', items: this.#items(']', () => this.#item()), at };
    if (this.#take('{')) return { kind: 'map', entries: this.#items('}', () => this.#entry()), at };
    if (this.#take('.')) return this.#primary();
    throw this.#unexpected(token);
  }

  #items<Item>(closing: string, read: () => Item): readonly Item[] {
    const items: Item[] = [];
    while (!this.#take(closing)) {
      items.push(read());
      if (this.#take(',')) continue;
      if (this.#take(closing)) break;
      throw this.#unexpectedOf(this.#peek(), `{'${closing}', ','}`);
    }
    return items;
  }

  #item(): CelItem {
    const optional = this.#take('?');
    return { optional, value: this.#expression() };
  }

  #entry(): CelEntry {
    const optional = this.#take('?');
    const key = this.#expression();
    this.#expect(':');
    return { optional, key, value: this.#expression() };
  }

  #field(): CelField {
    const optional = this.#take('?');
    const token = this.#peek();
    if (token.kind !== 'identifier') {
      throw this.#unexpectedOf(token, "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
    }
    this.#next += 1;
    const { at } = this.#peek();
    this.#expect(':');
    return { optional, name: token.text, at, value: this.#expression() };
  }
}

/** `a.b.c` as one name; `undefined` for what is no such name. */
function qualifiedName(node: CelNode): string | undefined {
  if (node.kind === 'identifier') return node.name;
  if (node.kind !== 'select' || node.optional) return undefined;
  const parent = qualifiedName(node.operand);
  return parent === undefined ? undefined : `${parent}.${node.field}`;
}

function balanced(kind: 'and' | 'or', operands: readonly CelNode[]): CelNode {
  const [first] = operands;
  if (first !== undefined && operands.length === 1) return first;
  const middle = operands.length >> 1;
  const left = balanced(kind, operands.slice(0, middle));
  const right = balanced(kind, operands.slice(middle));
  return { kind, left, right, at: right.at };
}
