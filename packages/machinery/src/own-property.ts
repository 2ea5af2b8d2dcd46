/*
 * Objects from outside may have keys such as `__proto__` or `constructor`, which are ordinary data
 * there. Reading goes through `ownValue` and writing through `defineValue`, so that such keys never
 * reach a prototype.
 */

/** The object's own value at `key`; never something inherited. */
export function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property, whatever its name. */
export function defineValue(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    object[key] = value;
  }
}
