import type { EventAttributes } from '../event/cloud-event.ts';
import type { CesqlTrouble } from './cesql-error.ts';
import { checkExpression } from './check-expression.ts';
import { compileExpression } from './compile-expression.ts';
import type { CesqlType, CesqlValue } from './expression.ts';
import { parseExpression } from './parse-expression.ts';

/** What an expression gives for an event. */
export interface CesqlResult {
  readonly value: CesqlValue;
  /** What went wrong; with anything in it the value is not to be trusted. */
  readonly troubles: readonly CesqlTrouble[];
}

/** An expression of the CloudEvents Expression Language 1.0, ready to be evaluated. */
export interface CesqlProgram {
  /** The type of its value; `undefined` where the event decides. */
  readonly type: CesqlType | undefined;
  /** What is wrong with it whatever the event. */
  readonly troubles: readonly CesqlTrouble[];
  /** Never throws, and changes nothing. */
  evaluate(attributes: EventAttributes): CesqlResult;
}

/**
 * @throws CesqlError when the text is no expression
 *
 * @example
 * const program = compileCesql("type LIKE 'com.example.%' AND EXISTS subject");
 * program.evaluate(event.attributes); // { value: true, troubles: [] }
 */
export function compileCesql(text: string): CesqlProgram {
  const expression = parseExpression(text);
  const evaluate = compileExpression(expression);
  return {
    ...checkExpression(expression),
    evaluate(attributes) {
      const troubles: CesqlTrouble[] = [];
      return { value: evaluate(attributes, troubles), troubles };
    },
  };
}
