import { celError } from './cel-error.ts';
import { type CelType, parseCelType, splitTypes } from './cel-type.ts';
import {
  type CelDuration,
  type CelList,
  type CelMap,
  type CelOptional,
  type CelTagged,
  type CelTimestamp,
  type CelValue,
  celKind,
} from './cel-value.ts';
import type { Regex } from './regex.ts';

/** What a running expression has at hand. */
export interface CelMachine {
  /** Uses up some of the allowed cost. Throws a CelError (`CelCostExceeded`) when none is left. */
  charge(cost: number): void;
  /** The compiled pattern; remembered for the next call. Throws a CelError for a bad one. */
  regex(pattern: string): Regex;
}

/** One signature of a function and what it does. */
export interface CelOverload {
  readonly name: string;
  /** Whether the first parameter is the receiver: `text.size()`. */
  readonly isMethod: boolean;
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly call: CelCall;
  /** Checks what the compiler knows of the arguments: the literals; the others are undefined. */
  readonly checkLiterals?: (args: readonly (CelValue | undefined)[]) => void;
}

export type CelCall = (args: readonly CelValue[], machine: CelMachine) => CelValue;

/**
 * Declares one signature: `string.contains(string): bool` is a method, `size(list<T>): int` a
 * function, `sets::contains(…)` the function `sets.contains`, and `_+_(…)` an operator.
 */
export function overload(
  signature: string,
  call: CelCall,
  checkLiterals?: CelOverload['checkLiterals'],
): CelOverload {
  const match = /^(?:(.+?)\.)?((?:\w+::)?[\w@!+\-*/%<>=]+)\((.*)\): (.+)$/.exec(signature);
  if (match === null) throw new Error(`Broken invariant: no signature: ${signature}`);
  const [, receiver, name = '', parameters = '', result = 'dyn'] = match;
  const types = splitTypes(parameters).map(parseCelType);
  return {
    name: name.replace('::', '.'),
    isMethod: receiver !== undefined,
    parameters: receiver === undefined ? types : [parseCelType(receiver), ...types],
    result: parseCelType(result),
    call,
    ...(checkLiterals === undefined ? {} : { checkLiterals }),
  };
}

function mismatch(value: CelValue): Error {
  return celError(`no such overload: unexpected ${celKind(value)}`);
}

// The compiler picks overloads by type, so these only tell TypeScript what is already true.
export function asString(value: CelValue | undefined): string {
  if (typeof value === 'string') return value;
  throw mismatch(value ?? null);
}

export function asInt(value: CelValue | undefined): bigint {
  if (typeof value === 'bigint') return value;
  throw mismatch(value ?? null);
}

export function asDouble(value: CelValue | undefined): number {
  if (typeof value === 'number') return value;
  throw mismatch(value ?? null);
}

export function asBool(value: CelValue | undefined): boolean {
  if (typeof value === 'boolean') return value;
  throw mismatch(value ?? null);
}

export function asBytes(value: CelValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw mismatch(value ?? null);
}

export function asTagged<Kind extends CelTagged['kind']>(
  kind: Kind,
  value: CelValue | undefined,
): Extract<CelTagged, { readonly kind: Kind }> {
  if (isTagged(kind, value)) return value;
  throw mismatch(value ?? null);
}

export function isTagged<Kind extends CelTagged['kind']>(
  kind: Kind,
  value: CelValue | undefined,
): value is Extract<CelTagged, { readonly kind: Kind }> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}

export const asList = (value: CelValue | undefined): CelList => asTagged('list', value);
export const asMap = (value: CelValue | undefined): CelMap => asTagged('map', value);
export const asUint = (value: CelValue | undefined): bigint => asTagged('uint', value).value;
export const asTimestamp = (value: CelValue | undefined): CelTimestamp =>
  asTagged('timestamp', value);
export const asDuration = (value: CelValue | undefined): CelDuration => asTagged('duration', value);
export const asOptional = (value: CelValue | undefined): CelOptional => asTagged('optional', value);

const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** The value as an int. Throws when it does not fit 64 bits. */
export function checkedInt(value: bigint): bigint {
  if (value > int64Max || value < int64Min) throw celError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): CelValue {
  if (value < 0n || value >= 2n ** 64n) throw celError('unsigned integer overflow');
  return { kind: 'uint', value };
}
