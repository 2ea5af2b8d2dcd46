import { compareQuantities, parseQuantity, type Quantity, quantityValue } from '@fnlet/machinery';
import { celError } from './cel-error.ts';
import {
  asInt,
  asString,
  asTagged,
  type CelOverload,
  checkedInt,
  overload,
} from './cel-function.ts';
import type { CelValue } from './cel-value.ts';

const nanosPerUnit = 1_000_000_000n;

/** Kubernetes' quantity library. */
export const celQuantityFunctions = (): readonly CelOverload[] => [
  overload('isQuantity(string): bool', ([text]) => parseQuantity(asString(text)) !== undefined),
  overload('quantity(string): quantity', ([text]) => {
    const quantity = parseQuantity(asString(text));
    if (quantity === undefined) {
      throw celError('quantities must match the regular expression of resource quantities');
    }
    return { kind: 'quantity', quantity };
  }),
  overload('quantity.sign(): int', ([value]) => BigInt(Math.sign(Number(quantityOf(value).nano)))),
  overload('quantity.isInteger(): bool', ([value]) => isInteger(quantityOf(value))),
  overload('quantity.asInteger(): int', ([value]) => {
    const quantity = quantityOf(value);
    if (!isInteger(quantity)) throw celError('cannot convert value to integer');
    return checkedInt(quantity.nano / nanosPerUnit);
  }),
  overload('quantity.asApproximateFloat(): double', ([value]) => quantityValue(quantityOf(value))),
  overload('quantity.compareTo(quantity): int', ([a, b]) => BigInt(compare(a, b))),
  overload('quantity.isGreaterThan(quantity): bool', ([a, b]) => compare(a, b) > 0),
  overload('quantity.isLessThan(quantity): bool', ([a, b]) => compare(a, b) < 0),
  overload('quantity.add(quantity): quantity', ([a, b]) => plus(a, quantityOf(b).nano)),
  overload('quantity.add(int): quantity', ([a, b]) => plus(a, asInt(b) * nanosPerUnit)),
  overload('quantity.sub(quantity): quantity', ([a, b]) => plus(a, -quantityOf(b).nano)),
  overload('quantity.sub(int): quantity', ([a, b]) => plus(a, -asInt(b) * nanosPerUnit)),
];

function quantityOf(value: CelValue | undefined): Quantity {
  return asTagged('quantity', value).quantity;
}

function isInteger(quantity: Quantity): boolean {
  return quantity.nano % nanosPerUnit === 0n;
}

function compare(a: CelValue | undefined, b: CelValue | undefined): number {
  return compareQuantities(quantityOf(a), quantityOf(b));
}

function plus(value: CelValue | undefined, nano: bigint): CelValue {
  const quantity = quantityOf(value);
  return { kind: 'quantity', quantity: { ...quantity, nano: quantity.nano + nano } };
}
