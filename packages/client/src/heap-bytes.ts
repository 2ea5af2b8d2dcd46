/**
 * What a JSON value takes of V8's heap, roughly: 16 bytes and its characters for a text, a header
 * and a slot for each field or item for an object or a list. Names of fields are shared by all.
 */
export function heapBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const items: readonly unknown[] = Object.values(value);
  return items.reduce<number>((bytes, item) => bytes + slotBytes + heapBytes(item), headerBytes);
}

const slotBytes = 8;
const headerBytes = 40;
