import { celError } from './cel-error.ts';
import { asOptional, type CelOverload, overload } from './cel-function.ts';
import { type CelValue, celNone } from './cel-value.ts';

/** Optional values (cel-go, OptionalTypes). */
export const celOptionalFunctions = (): readonly CelOverload[] => [
  overload('optional::of(T): optional<T>', ([value]) => ({ kind: 'optional', value })),
  overload('optional::none(): optional<T>', () => celNone),
  overload('optional::ofNonZeroValue(T): optional<T>', ([value = null]) =>
    isZero(value) ? celNone : { kind: 'optional', value },
  ),
  overload(
    'optional<T>.hasValue(): bool',
    ([optional]) => asOptional(optional).value !== undefined,
  ),
  overload('optional<T>.value(): T', ([optional]) => {
    const { value } = asOptional(optional);
    if (value === undefined) throw celError('optional.none() dereference');
    return value;
  }),
  overload('optional<T>.or(optional<T>): optional<T>', ([optional, other]) =>
    asOptional(optional).value === undefined ? asOptional(other) : asOptional(optional),
  ),
  overload('optional<T>.orValue(T): T', ([optional, fallback = null]) => {
    const { value } = asOptional(optional);
    return value === undefined ? fallback : value;
  }),
];

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 0n) return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (typeof value !== 'object') return false;
  switch (value.kind) {
    case 'uint':
      return value.value === 0n;
    case 'list':
    case 'map':
      return value.size === 0;
    case 'duration':
      return value.nanos === 0n;
    default:
      return false;
  }
}
