import { celContains, celEqual, celOrder } from './cel-compare.ts';
import { celError } from './cel-error.ts';
import {
  asBool,
  asBytes,
  asDouble,
  asDuration,
  asInt,
  asList,
  asMap,
  asString,
  asTimestamp,
  asUint,
  type CelMachine,
  type CelOverload,
  checkedInt,
  checkedUint,
  overload,
} from './cel-function.ts';
import { checkedDuration, checkedTimestamp } from './cel-time.ts';
import { type CelList, type CelValue, celItems, celKind, celList } from './cel-value.ts';

const orderedTypes = ['bool', 'string', 'bytes', 'timestamp', 'duration'];
const numberTypes = ['int', 'uint', 'double'];

/** The operators of CEL (cel-spec: list of standard definitions). */
export const celOperators = (): readonly CelOverload[] => [
  overload('!_(bool): bool', ([a]) => !asBool(a)),
  overload('-_(int): int', ([a]) => checkedInt(-asInt(a))),
  overload('-_(double): double', ([a]) => -asDouble(a)),
  overload('_==_(T, T): bool', ([a = null, b = null], machine) => {
    machine.charge(comparisonCost(a));
    return celEqual(a, b);
  }),
  overload('_!=_(T, T): bool', ([a = null, b = null], machine) => {
    machine.charge(comparisonCost(a));
    return !celEqual(a, b);
  }),
  overload('@in(T, list<T>): bool', ([item = null, list], machine) => {
    machine.charge(asList(list).size);
    return celContains(asList(list), item);
  }),
  overload('@in(K, map<K, V>): bool', ([key = null, map]) => asMap(map).get(key) !== undefined),
  ...orderings('_<_', (order) => order < 0),
  ...orderings('_<=_', (order) => order <= 0),
  ...orderings('_>_', (order) => order > 0),
  ...orderings('_>=_', (order) => order >= 0),
  ...integers('_+_', (a, b) => a + b),
  ...integers('_-_', (a, b) => a - b),
  ...integers('_*_', (a, b) => a * b),
  ...integers('_/_', (a, b) => a / nonZero(b, 'division by zero')),
  ...integers('_%_', (a, b) => a % nonZero(b, 'modulus by zero')),
  overload('_+_(double, double): double', ([a, b]) => asDouble(a) + asDouble(b)),
  overload('_-_(double, double): double', ([a, b]) => asDouble(a) - asDouble(b)),
  overload('_*_(double, double): double', ([a, b]) => asDouble(a) * asDouble(b)),
  overload('_/_(double, double): double', ([a, b]) => asDouble(a) / asDouble(b)),
  overload('_+_(string, string): string', ([a, b], machine) => {
    const text = asString(a) + asString(b);
    machine.charge(text.length / 10);
    return text;
  }),
  overload('_+_(bytes, bytes): bytes', ([a, b], machine) => {
    machine.charge((asBytes(a).length + asBytes(b).length) / 10);
    return Uint8Array.from([...asBytes(a), ...asBytes(b)]);
  }),
  overload('_+_(list<T>, list<T>): list<T>', ([a, b], machine) =>
    concatenate(asList(a), asList(b), machine),
  ),
  overload('_+_(timestamp, duration): timestamp', ([a, b]) =>
    checkedTimestamp(asTimestamp(a).nanos + asDuration(b).nanos),
  ),
  overload('_+_(duration, timestamp): timestamp', ([a, b]) =>
    checkedTimestamp(asDuration(a).nanos + asTimestamp(b).nanos),
  ),
  overload('_+_(duration, duration): duration', ([a, b]) =>
    checkedDuration(asDuration(a).nanos + asDuration(b).nanos),
  ),
  overload('_-_(timestamp, timestamp): duration', ([a, b]) =>
    checkedDuration(asTimestamp(a).nanos - asTimestamp(b).nanos),
  ),
  overload('_-_(timestamp, duration): timestamp', ([a, b]) =>
    checkedTimestamp(asTimestamp(a).nanos - asDuration(b).nanos),
  ),
  overload('_-_(duration, duration): duration', ([a, b]) =>
    checkedDuration(asDuration(a).nanos - asDuration(b).nanos),
  ),
];

// Numbers of different types can be ordered (cel-go: CrossTypeNumericComparisons), equality not.
function orderings(name: string, holds: (order: number) => boolean): readonly CelOverload[] {
  const pairs = [
    ...orderedTypes.map((type) => [type, type]),
    ...numberTypes.flatMap((left) => numberTypes.map((right) => [left, right])),
  ];
  return pairs.map(([left, right]) =>
    overload(`${name}(${left}, ${right}): bool`, ([a = null, b = null], machine) => {
      machine.charge(comparisonCost(a));
      const order = celOrder(a, b);
      return order !== undefined && holds(order);
    }),
  );
}

function integers(name: string, compute: (a: bigint, b: bigint) => bigint): readonly CelOverload[] {
  return [
    overload(`${name}(int, int): int`, ([a, b]) => checkedInt(compute(asInt(a), asInt(b)))),
    overload(`${name}(uint, uint): uint`, ([a, b]) => checkedUint(compute(asUint(a), asUint(b)))),
  ];
}

function nonZero(divisor: bigint, text: string): bigint {
  if (divisor === 0n) throw celError(text);
  return divisor;
}

function comparisonCost(value: CelValue): number {
  if (typeof value === 'string') return value.length / 10;
  if (value instanceof Uint8Array) return value.length / 10;
  if (value === null || typeof value !== 'object') return 0;
  if (value.kind === 'list') return value.size * (value.identity === undefined ? 1 : value.size);
  return value.kind === 'map' ? value.size : 0;
}

// Sets merge to their union; map lists too, an item on the right taking the place of its twin.
function concatenate(a: CelList, b: CelList, machine: CelMachine): CelList {
  machine.charge(a.size + b.size);
  const [left, right] = [celItems(a), celItems(b)];
  const { identity } = a;
  if (identity === undefined) return celList([...left, ...right]);
  machine.charge(a.size * b.size);
  if (identity === 'set') {
    const added = right.filter((item) => !celContains(a, item));
    return { ...celList([...left, ...added]), identity };
  }
  const isTwin = (x: CelValue, y: CelValue): boolean => sameKeys(x, y, identity);
  const kept = left.map((item) => right.find((other) => isTwin(item, other)) ?? item);
  const added = right.filter((item) => !left.some((other) => isTwin(item, other)));
  return { ...celList([...kept, ...added]), identity };
}

function sameKeys(a: CelValue, b: CelValue, keys: readonly string[]): boolean {
  if (celKind(a) !== 'map' || celKind(b) !== 'map') return false;
  return keys.every((key) => {
    const [left, right] = [asMap(a).get(key), asMap(b).get(key)];
    if (left === undefined || right === undefined) return left === right;
    return celEqual(left, right);
  });
}
