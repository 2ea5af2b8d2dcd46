/** The functions that every engine has (CESQL 1.0, sections 3.5 and 3.7). */
import { castTo, type Troubles, toInteger, toText } from './cast.ts';
import type { CesqlType, CesqlValue } from './expression.ts';

/** One function with the arity that it is chosen by. */
export interface CesqlFunction {
  readonly parameters: readonly CesqlType[];
  /** Whether any number of texts can follow. */
  readonly isVariadic?: boolean;
  readonly result: CesqlType;
  /** Gets its operands cast. */
  readonly call: (operands: readonly CesqlValue[], troubles: Troubles) => CesqlValue;
}

const text = (operands: readonly CesqlValue[], index = 0): string => toText(operands[index] ?? '');
const number = (operands: readonly CesqlValue[], index = 0): number => {
  const value = operands[index];
  return typeof value === 'number' ? value : 0;
};
const oneText = ['String'] as const;
const textAndNumber = ['String', 'Integer'] as const;
const integerMax = 2 ** 31 - 1;

const functions: Readonly<Record<string, readonly CesqlFunction[]>> = {
  LENGTH: [{ parameters: oneText, result: 'Integer', call: (given) => [...text(given)].length }],
  CONCAT: [{ parameters: [], isVariadic: true, result: 'String', call: (given) => given.join('') }],
  CONCAT_WS: [
    {
      parameters: oneText,
      isVariadic: true,
      result: 'String',
      call: ([separator, ...given]) => given.join(toText(separator ?? '')),
    },
  ],
  LOWER: [{ parameters: oneText, result: 'String', call: (given) => text(given).toLowerCase() }],
  UPPER: [{ parameters: oneText, result: 'String', call: (given) => text(given).toUpperCase() }],
  TRIM: [{ parameters: oneText, result: 'String', call: (given) => trim(text(given)) }],
  LEFT: [{ parameters: textAndNumber, result: 'String', call: left }],
  RIGHT: [{ parameters: textAndNumber, result: 'String', call: right }],
  SUBSTRING: [
    { parameters: textAndNumber, result: 'String', call: substring },
    { parameters: [...textAndNumber, 'Integer'], result: 'String', call: substring },
  ],
  ABS: [{ parameters: ['Integer'], result: 'Integer', call: absolute }],
};

/** Functions that cast, whatever they get. */
const casts: Readonly<Record<string, CesqlType>> = {
  INT: 'Integer',
  BOOL: 'Boolean',
  STRING: 'String',
};

/** The function of this name for so many operands. */
export function findFunction(name: string, count: number): CesqlFunction | undefined {
  const overloads = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return overloads?.find(({ parameters, isVariadic = false }) =>
    isVariadic ? count >= parameters.length : count === parameters.length,
  );
}

/** To which type a function of this name casts its one operand. */
export function findCast(name: string, count: number): CesqlType | undefined {
  return count === 1 && Object.hasOwn(casts, name) ? casts[name] : undefined;
}

/** Calls it with its operands cast to what it takes. */
export function callFunction(
  { parameters, call }: CesqlFunction,
  operands: readonly CesqlValue[],
  troubles: Troubles,
): CesqlValue {
  const given = operands.map((operand, index) =>
    castTo(parameters[index] ?? 'String', operand, troubles),
  );
  return call(given, troubles);
}

function trim(value: string): string {
  const isSpace = (character: string | undefined): boolean =>
    character !== undefined && /\p{White_Space}/u.test(character);
  let start = 0;
  let end = value.length;
  while (isSpace(value[start])) start += 1;
  while (end > start && isSpace(value[end - 1])) end -= 1;
  return value.slice(start, end);
}

function left(operands: readonly CesqlValue[], troubles: Troubles): string {
  const count = number(operands, 1);
  if (count < 0) return refused(`a length of ${count}`, text(operands), troubles);
  return [...text(operands)].slice(0, count).join('');
}

function right(operands: readonly CesqlValue[], troubles: Troubles): string {
  const count = number(operands, 1);
  if (count < 0) return refused(`a length of ${count}`, text(operands), troubles);
  const characters = [...text(operands)];
  return characters.slice(Math.max(0, characters.length - count)).join('');
}

function substring(operands: readonly CesqlValue[], troubles: Troubles): string {
  const characters = [...text(operands)];
  const position = number(operands, 1);
  const count = operands.length < 3 ? characters.length : number(operands, 2);
  if (Math.abs(position) > characters.length) {
    return refused(`position ${position} of ${characters.length} characters`, '', troubles);
  }
  if (count < 0) return refused(`a length of ${count}`, '', troubles);
  if (position === 0) return '';
  const start = position > 0 ? position - 1 : characters.length + position;
  return characters.slice(start, start + count).join('');
}

function absolute(operands: readonly CesqlValue[], troubles: Troubles): number {
  const value = Math.abs(toInteger(operands[0] ?? 0, troubles));
  if (value <= integerMax) return value;
  troubles.push({ code: 'MathError', message: `found ABS(-${value}), which exceeds 32 bits` });
  return integerMax;
}

function refused(found: string, value: string, troubles: Troubles): string {
  troubles.push({ code: 'FunctionEvaluationError', message: `found ${found}, expected one in it` });
  return value;
}
