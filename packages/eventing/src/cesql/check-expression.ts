/** What can be told of an expression before there is an event. */
import { unreachable } from '@fnlet/base';
import { castTo, type Troubles, typeOf } from './cast.ts';
import type { CesqlType, Expression } from './expression.ts';
import { findCast, findFunction } from './functions.ts';

/** What an expression gives. */
export interface CheckedExpression {
  /** The type of its value; `undefined` where the event decides. */
  readonly type: CesqlType | undefined;
  /** What fails for every event that gets there: functions that are none, casts of literals. */
  readonly troubles: Troubles;
}

export function checkExpression(expression: Expression): CheckedExpression {
  const troubles: Troubles = [];
  return { type: check(expression, troubles), troubles };
}

function check(expression: Expression, troubles: Troubles): CesqlType | undefined {
  switch (expression.kind) {
    case 'literal':
      return typeOf(expression.value);
    case 'attribute':
      return undefined;
    case 'exists':
      return 'Boolean';
    case 'not':
      expect('Boolean', expression.operand, troubles);
      return 'Boolean';
    case 'negate':
      expect('Integer', expression.operand, troubles);
      return 'Integer';
    case 'arithmetic':
    case 'order':
      expect('Integer', expression.left, troubles);
      expect('Integer', expression.right, troubles);
      return expression.kind === 'order' ? 'Boolean' : 'Integer';
    case 'equal': {
      const type = check(expression.right, troubles);
      if (type === undefined) check(expression.left, troubles);
      else expect(type, expression.left, troubles);
      return 'Boolean';
    }
    case 'logic':
      expect('Boolean', expression.left, troubles);
      expect('Boolean', expression.right, troubles);
      return 'Boolean';
    case 'like':
      check(expression.operand, troubles);
      return 'Boolean';
    case 'in':
      for (const part of [expression.operand, ...expression.items]) check(part, troubles);
      return 'Boolean';
    case 'call':
      return checkCall(expression, troubles);
    default:
      return unreachable(expression);
  }
}

function checkCall(
  { name, operands }: Extract<Expression, { readonly kind: 'call' }>,
  troubles: Troubles,
): CesqlType | undefined {
  const called = findFunction(name, operands.length);
  const type = called?.result ?? findCast(name, operands.length);
  if (type === undefined) {
    const message = `found the function ${name} with ${operands.length} operands, expected one that there is`;
    troubles.push({ code: 'MissingFunctionError', message });
  }
  for (const [index, operand] of operands.entries()) {
    expect(called === undefined ? type : (called.parameters[index] ?? 'String'), operand, troubles);
  }
  return type;
}

/** Checks a part whose value is cast to a type. */
function expect(type: CesqlType | undefined, part: Expression, troubles: Troubles): void {
  check(part, troubles);
  if (part.kind === 'literal' && type !== undefined) castTo(type, part.value, troubles);
}
