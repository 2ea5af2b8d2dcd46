import { celContains, celEqual, celOrder } from './cel-compare.ts';
import { celError } from './cel-error.ts';
import {
  asList,
  type CelMachine,
  type CelOverload,
  checkedInt,
  checkedUint,
  isTagged,
  overload,
} from './cel-function.ts';
import { checkedDuration } from './cel-time.ts';
import { type CelValue, celItems } from './cel-value.ts';

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const summable = ['int', 'uint', 'double', 'duration'];

/** Kubernetes' list library, and cel-go's sets. */
export const celListFunctions = (): readonly CelOverload[] => [
  ...comparable.flatMap((type) => [
    overload(`list<${type}>.isSorted(): bool`, ([list], machine) => {
      const items = itemsOf(list, machine);
      return items.every((item, i) => i === 0 || order(items[i - 1] ?? null, item) <= 0);
    }),
    overload(`list<${type}>.min(): ${type}`, ([list], machine) =>
      best(itemsOf(list, machine), 'min', (o) => o < 0),
    ),
    overload(`list<${type}>.max(): ${type}`, ([list], machine) =>
      best(itemsOf(list, machine), 'max', (o) => o > 0),
    ),
  ]),
  ...summable.map((type) =>
    overload(`list<${type}>.sum(): ${type}`, ([list], machine) =>
      itemsOf(list, machine).reduce(add, zero(type)),
    ),
  ),
  overload('list<T>.indexOf(T): int', ([list, value = null], machine) =>
    BigInt(itemsOf(list, machine).findIndex((item) => celEqual(item, value))),
  ),
  overload('list<T>.lastIndexOf(T): int', ([list, value = null], machine) =>
    BigInt(itemsOf(list, machine).findLastIndex((item) => celEqual(item, value))),
  ),
  overload('sets::contains(list<T>, list<T>): bool', ([a, b], machine) => includes(a, b, machine)),
  overload(
    'sets::equivalent(list<T>, list<T>): bool',
    ([a, b], machine) => includes(a, b, machine) && includes(b, a, machine),
  ),
  overload('sets::intersects(list<T>, list<T>): bool', ([a, b], machine) => {
    machine.charge(asList(a).size * asList(b).size);
    return celItems(asList(b)).some((item) => celContains(asList(a), item));
  }),
];

function itemsOf(list: CelValue | undefined, machine: CelMachine): readonly CelValue[] {
  machine.charge(asList(list).size);
  return celItems(asList(list));
}

function order(a: CelValue, b: CelValue): number {
  const result = celOrder(a, b);
  if (result === undefined) throw celError('no such overload: items cannot be compared');
  return result;
}

function best(
  items: readonly CelValue[],
  name: string,
  wins: (order: number) => boolean,
): CelValue {
  const [first, ...others] = items;
  if (first === undefined) throw celError(`${name} called on empty list`);
  return others.reduce((found, item) => (wins(order(item, found)) ? item : found), first);
}

function zero(type: string): CelValue {
  if (type === 'int') return 0n;
  if (type === 'double') return 0;
  return type === 'uint' ? { kind: 'uint', value: 0n } : { kind: 'duration', nanos: 0n };
}

function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (isTagged('uint', a) && isTagged('uint', b)) return checkedUint(a.value + b.value);
  if (isTagged('duration', a) && isTagged('duration', b)) return checkedDuration(a.nanos + b.nanos);
  throw celError('no such overload: items cannot be summed');
}

function includes(
  list: CelValue | undefined,
  part: CelValue | undefined,
  machine: CelMachine,
): boolean {
  machine.charge(asList(list).size * asList(part).size);
  return celItems(asList(part)).every((item) => celContains(asList(list), item));
}
