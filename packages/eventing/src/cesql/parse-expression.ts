/**
 * From text to expression, by precedence climbing. Operators bind as section 3.6 of CESQL 1.0 says,
 * and to the left where they bind alike; AND, OR and XOR do.
 */
import { CesqlError } from './cesql-error.ts';
import type { ArithmeticOperator, Expression, LogicOperator, OrderOperator } from './expression.ts';
import { cesqlLimits } from './limits.ts';
import { type Token, tokenize } from './token.ts';

/** How tight operators bind. */
const binding: Readonly<Record<string, number>> = {
  ...{ AND: 1, OR: 1, XOR: 1 },
  ...{ '=': 2, '!=': 2, '<>': 2, '<': 2, '<=': 2, '>': 2, '>=': 2 },
  ...{ '+': 3, '-': 3 },
  ...{ '*': 4, '/': 4, '%': 4 },
  ...{ LIKE: 5, IN: 5, NOT: 5 },
};
const integerMax = 2 ** 31 - 1;

/**
 * @throws CesqlError
 */
export function parseExpression(text: string): Expression {
  if (text.length > cesqlLimits.charactersMax) {
    const most = cesqlLimits.charactersMax;
    throw new CesqlError(text, most, `an end after at most ${most} characters`);
  }
  return new Parser(text).parse();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Expression {
    const expression = this.#expression(0);
    if (this.#next().kind !== 'end') throw this.#expected('an operator or the end');
    return expression;
  }

  /** An expression whose operators bind tighter than `floor`. */
  #expression(floor: number): Expression {
    this.#depth += 1;
    if (this.#depth > cesqlLimits.depthMax) {
      throw this.#expected(`parentheses and signs nested at most ${cesqlLimits.depthMax} deep`);
    }
    let left = this.#operand();
    for (;;) {
      const { kind, text } = this.#next();
      const strength = kind === 'sign' || kind === 'keyword' ? (binding[text] ?? 0) : 0;
      if (strength <= floor) break;
      this.#at += 1;
      left = strength === 5 ? this.#suffix(left, text) : this.#binary(left, text, strength);
    }
    this.#depth -= 1;
    return left;
  }

  #binary(left: Expression, operator: string, strength: number): Expression {
    const right = this.#expression(strength);
    if (isLogic(operator)) return { kind: 'logic', operator, left, right };
    if (isArithmetic(operator)) return { kind: 'arithmetic', operator, left, right };
    if (isOrder(operator)) return { kind: 'order', operator, left, right };
    return { kind: 'equal', negated: operator !== '=', left, right };
  }

  /** `LIKE` and `IN` with what follows them, and `NOT` before them. */
  #suffix(operand: Expression, operator: string): Expression {
    const negated = operator === 'NOT';
    const name = negated ? this.#take('keyword', ['LIKE', 'IN']) : operator;
    if (name === 'LIKE') {
      return { kind: 'like', negated, operand, pattern: this.#take('text') };
    }
    this.#take('sign', ['(']);
    return { kind: 'in', negated, operand, items: this.#list() };
  }

  /** What operators stand between. */
  #operand(): Expression {
    const { kind, text } = this.#next();
    this.#at += 1;
    if (kind === 'text') return { kind: 'literal', value: text };
    if (kind === 'name') return { kind: 'attribute', name: text };
    if (kind === 'integer') return this.#integer(text, 1);
    if (kind === 'function') return this.#call(text);
    if (kind === 'keyword') {
      if (text === 'TRUE' || text === 'FALSE') return { kind: 'literal', value: text === 'TRUE' };
      if (text === 'NOT') return { kind: 'not', operand: this.#expression(5) };
      if (text === 'EXISTS') return { kind: 'exists', name: this.#take('name') };
    }
    if (kind === 'sign') {
      if (text === '(') return this.#group();
      if (text === '-') return this.#negative();
      if (text === '+') return this.#integer(this.#take('integer'), 1);
    }
    this.#at -= 1;
    throw this.#expected('a literal, an attribute, a function or a parenthesis');
  }

  #group(): Expression {
    const expression = this.#expression(0);
    this.#take('sign', [')']);
    return expression;
  }

  #negative(): Expression {
    const { kind, text } = this.#next();
    if (kind !== 'integer') return { kind: 'negate', operand: this.#expression(5) };
    this.#at += 1;
    return this.#integer(text, -1);
  }

  #integer(digits: string, factor: 1 | -1): Expression {
    const value = Number(digits) * factor;
    if (value <= integerMax && value >= -integerMax - 1) {
      return { kind: 'literal', value: value + 0 };
    }
    this.#at -= 1;
    throw this.#expected('a whole number of 32 bits');
  }

  #call(name: string): Expression {
    this.#take('sign', ['(']);
    if (this.#next().text === ')' && this.#next().kind === 'sign') {
      this.#at += 1;
      return { kind: 'call', name, operands: [] };
    }
    return { kind: 'call', name, operands: this.#list() };
  }

  /** Expressions up to the closing parenthesis. */
  #list(): readonly Expression[] {
    const items = [this.#expression(0)];
    while (this.#take('sign', [',', ')']) === ',') items.push(this.#expression(0));
    return items;
  }

  #take(kind: Token['kind'], texts?: readonly string[]): string {
    const token = this.#next();
    if (token.kind !== kind || (texts !== undefined && !texts.includes(token.text))) {
      throw this.#expected(texts?.map((text) => `"${text}"`).join(' or ') ?? namesOf[kind]);
    }
    this.#at += 1;
    return token.text;
  }

  #next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', position: this.#text.length };
  }

  #expected(expected: string): CesqlError {
    return new CesqlError(this.#text, this.#next().position, expected);
  }
}

const namesOf: Readonly<Record<Token['kind'], string>> = {
  keyword: 'a keyword',
  name: 'the name of an attribute',
  function: 'a function',
  integer: 'a whole number',
  text: 'a text in quotes',
  sign: 'an operator',
  end: 'the end',
};

function isLogic(operator: string): operator is LogicOperator {
  return operator === 'AND' || operator === 'OR' || operator === 'XOR';
}

function isArithmetic(operator: string): operator is ArithmeticOperator {
  return '*/%+-'.includes(operator);
}

function isOrder(operator: string): operator is OrderOperator {
  return operator === '<' || operator === '<=' || operator === '>' || operator === '>=';
}
