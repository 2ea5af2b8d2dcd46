import { canonicalJson, isJsonObject } from '@fnlet/base';

/**
 * An answer without what two servers may say differently: descriptions, ages, the order
 * of field errors.
 */
export function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => normalise(item));
  if (typeof value === 'string') {
    if (/^\d+s$/.test(value)) return '<age>';
    return value === 'apiext2' ? 'fnlet-apiserver' : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value)
    // Go writes the null of a template since 1.34 no more.
    .filter(([key, item]) => key !== 'creationTimestamp' || item !== null)
    .map(([key, item]) => [key, normalise(item)]);
  const { columnDefinitions, managedFields, verbs, causes, message, items, ...rest } =
    Object.fromEntries(entries);
  return {
    ...rest,
    // Descriptions of the standard columns are in own words.
    columnDefinitions: columnDefinitions?.map((column: object) => ({ ...column, description: '' })),
    managedFields: managedFields?.map(withoutTime).sort(byOwner),
    // Typed lists leave out what the list says already.
    items: Array.isArray(items) ? items.map(withoutKind) : items,
    verbs: verbs?.toSorted(),
    // The order in which the fields of a map are looked at is not a promise.
    causes: causes === undefined ? undefined : distinct(causes).sort(byText),
    message: rest.details !== undefined && /is invalid: \[/.test(message) ? '<several>' : message,
  };
}

function withoutKind(item: unknown): unknown {
  return isJsonObject(item) ? { ...item, kind: undefined, apiVersion: undefined } : item;
}

function distinct(items: readonly unknown[]): unknown[] {
  return [...new Map(items.map((item) => [canonicalJson(item), item])).values()];
}

function withoutTime(entry: unknown): unknown {
  return isJsonObject(entry) ? { ...entry, time: undefined } : entry;
}

// Kubernetes orders by time first; what took a second there happens at once here.
function byOwner(a: unknown, b: unknown): number {
  return byText(ownerOf(a), ownerOf(b));
}

function ownerOf(entry: unknown): unknown {
  return isJsonObject(entry) ? [entry.manager, entry.operation, entry.subresource ?? ''] : entry;
}

function byText(a: unknown, b: unknown): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}
