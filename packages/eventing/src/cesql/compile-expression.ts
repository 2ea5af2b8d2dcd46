/**
 * Makes a function of an expression. Errors are values: they are told beside the result
 * (CESQL 1.0, section 3.3).
 *
 * I1. Whatever takes an operand that met trouble, such as an attribute that is missing, is the zero
 *     value of its own type and does nothing else with it (section 3.2).
 */
import { unreachable } from '@fnlet/base';
import type { EventAttributes } from '../event/cloud-event.ts';
import {
  castTo,
  isInteger,
  type Troubles,
  tellFailed,
  toBoolean,
  toInteger,
  toText,
  typeOf,
} from './cast.ts';
import type { ArithmeticOperator, CesqlValue, Expression, OrderOperator } from './expression.ts';
import { callFunction, findCast, findFunction } from './functions.ts';
import { compileLike } from './like-pattern.ts';

type Evaluate = (attributes: EventAttributes, troubles: Troubles) => CesqlValue;
type Of<Kind extends Expression['kind']> = Extract<Expression, { readonly kind: Kind }>;

const zeroOf = { String: '', Integer: 0, Boolean: false } as const;

export function compileExpression(expression: Expression): Evaluate {
  switch (expression.kind) {
    case 'literal':
      return () => expression.value;
    case 'attribute':
      return compileAttribute(expression);
    case 'exists':
      return (attributes) => readAttribute(attributes, expression.name) !== undefined;
    case 'not':
      return compileNot(expression);
    case 'negate':
      return compileNegate(expression);
    case 'arithmetic':
      return compileArithmetic(expression);
    case 'order':
      return compileOrder(expression);
    case 'equal':
      return compileEqual(expression);
    case 'logic':
      return compileLogic(expression);
    case 'like':
      return compileLikeOperator(expression);
    case 'in':
      return compileIn(expression);
    case 'call':
      return compileCall(expression);
    default:
      return unreachable(expression);
  }
}

function readAttribute(attributes: EventAttributes, name: string): CesqlValue | undefined {
  const value = attributes[name];
  // An object has more than its attributes: one of its own is called `constructor`.
  return typeof value === 'function' ? undefined : value;
}

function compileAttribute({ name }: Of<'attribute'>): Evaluate {
  const message = `found no attribute "${name}"`;
  return (attributes, troubles) => {
    const value = readAttribute(attributes, name);
    if (value !== undefined) return value;
    troubles.push({ code: 'MissingAttributeError', message });
    return false;
  };
}

function compileNot({ operand }: Of<'not'>): Evaluate {
  const evaluate = compileExpression(operand);
  return (attributes, troubles) => {
    const before = troubles.length;
    const value = evaluate(attributes, troubles);
    if (troubles.length > before) return false;
    // The conformance cases have it so; elsewhere integers are cast (section 3.7).
    if (typeof value !== 'number') return !toBoolean(value, troubles);
    tellFailed(value, 'Boolean', troubles);
    return true;
  };
}

function compileNegate({ operand }: Of<'negate'>): Evaluate {
  const evaluate = compileExpression(operand);
  return (attributes, troubles) => {
    const before = troubles.length;
    const value = evaluate(attributes, troubles);
    return troubles.length > before ? 0 : bounded(0 - toInteger(value, troubles), troubles);
  };
}

function compileArithmetic({ operator, left, right }: Of<'arithmetic'>): Evaluate {
  const evaluateLeft = compileExpression(left);
  const evaluateRight = compileExpression(right);
  return (attributes, troubles) => {
    const before = troubles.length;
    const x = evaluateLeft(attributes, troubles);
    const y = evaluateRight(attributes, troubles);
    if (troubles.length > before) return 0;
    const result = calculate(operator, toInteger(x, troubles), toInteger(y, troubles));
    return bounded(result, troubles);
  };
}

/** Not a number when it divides by zero. */
function calculate(operator: ArithmeticOperator, x: number, y: number): number {
  switch (operator) {
    case '*':
      return x * y;
    case '/':
      return y === 0 ? Number.NaN : Math.trunc(x / y);
    case '%':
      return x % y;
    case '+':
      return x + y;
    case '-':
      return x - y;
    default:
      return unreachable(operator);
  }
}

/** The result if there is one that fits; there is no negative zero. */
function bounded(result: number, troubles: Troubles): number {
  if (isInteger(result)) return result + 0;
  const found = Number.isNaN(result) ? 'a division by zero' : String(result);
  const message = `found ${found}, expected a whole number of 32 bits`;
  troubles.push({ code: 'MathError', message });
  return 0;
}

function compileOrder({ operator, left, right }: Of<'order'>): Evaluate {
  const evaluateLeft = compileExpression(left);
  const evaluateRight = compileExpression(right);
  return (attributes, troubles) => {
    const before = troubles.length;
    const x = evaluateLeft(attributes, troubles);
    const y = evaluateRight(attributes, troubles);
    if (troubles.length > before) return false;
    return holds(operator, toInteger(x, troubles), toInteger(y, troubles));
  };
}

function holds(operator: OrderOperator, x: number, y: number): boolean {
  if (operator === '<') return x < y;
  if (operator === '<=') return x <= y;
  return operator === '>' ? x > y : x >= y;
}

/** The type of the right operand decides to what the left one is cast. */
function compileEqual({ negated, left, right }: Of<'equal'>): Evaluate {
  const evaluateLeft = compileExpression(left);
  const evaluateRight = compileExpression(right);
  return (attributes, troubles) => {
    const before = troubles.length;
    const x = evaluateLeft(attributes, troubles);
    const y = evaluateRight(attributes, troubles);
    if (troubles.length > before) return false;
    return (castTo(typeOf(y), x, troubles) === y) !== negated;
  };
}

function compileLogic({ operator, left, right }: Of<'logic'>): Evaluate {
  const evaluateLeft = compileExpression(left);
  const evaluateRight = compileExpression(right);
  return (attributes, troubles) => {
    const before = troubles.length;
    const x = evaluateLeft(attributes, troubles);
    if (troubles.length > before) return false;
    const isLeft = toBoolean(x, troubles);
    if (operator === 'AND' && !isLeft) return false;
    if (operator === 'OR' && isLeft) return true;
    const started = troubles.length;
    const y = evaluateRight(attributes, troubles);
    if (troubles.length > started) return false;
    const isRight = toBoolean(y, troubles);
    // What AND and OR came this far for is decided by the right operand.
    return operator === 'XOR' ? isLeft !== isRight : isRight;
  };
}

function compileLikeOperator({ negated, operand, pattern }: Of<'like'>): Evaluate {
  const evaluate = compileExpression(operand);
  const matches = compileLike(pattern);
  return (attributes, troubles) => {
    const before = troubles.length;
    const value = evaluate(attributes, troubles);
    return troubles.length === before && matches(toText(value)) !== negated;
  };
}

/** The type of the left operand decides to what the items are cast. */
function compileIn({ negated, operand, items }: Of<'in'>): Evaluate {
  const evaluate = compileExpression(operand);
  const evaluateItems = items.map(compileExpression);
  return (attributes, troubles) => {
    const before = troubles.length;
    const value = evaluate(attributes, troubles);
    const type = typeOf(value);
    for (const evaluateItem of evaluateItems) {
      const item = evaluateItem(attributes, troubles);
      if (troubles.length > before) return false;
      const isEqual = castTo(type, item, troubles) === value;
      if (troubles.length > before) return false;
      if (isEqual) return !negated;
    }
    return negated;
  };
}

function compileCall({ name, operands }: Of<'call'>): Evaluate {
  const evaluateOperands = operands.map(compileExpression);
  const called = findFunction(name, operands.length);
  const cast = findCast(name, operands.length);
  const result = called?.result ?? cast;
  if (result === undefined) {
    const message = `found no function ${name} of ${operands.length} operands`;
    return (_attributes, troubles) => {
      troubles.push({ code: 'MissingFunctionError', message });
      return false;
    };
  }
  return (attributes, troubles) => {
    const before = troubles.length;
    const values = evaluateOperands.map((evaluate) => evaluate(attributes, troubles));
    if (troubles.length > before) return zeroOf[result];
    if (called !== undefined) return callFunction(called, values, troubles);
    return castTo(result, values[0] ?? '', troubles);
  };
}
