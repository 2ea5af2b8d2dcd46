import { isJsonObject } from '@fnlet/base';
import { compareQuantities, parseQuantity } from '@fnlet/machinery';

/** Where a value stands, as far as it decides what it means. */
export interface Place {
  /**
   * Only in `spec` are there quantities; labels, annotations and a ConfigMap's data are texts,
   * whatever they look like.
   */
  readonly kind: 'root' | 'spec' | 'text' | 'quantities' | 'quantity';
  /** The field that the value, or the list that it is in, stands in. */
  readonly field: string;
}

/** The place of a whole object. */
export const rootPlace: Place = { kind: 'root', field: '' };

// The maps and fields of core/v1 whose values are resource.Quantity; custom resources follow them.
const quantityMaps: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'capacity',
  'hard',
  'overhead',
]);
const quantityFields: ReadonlySet<string> = new Set(['sizeLimit', 'divisor', 'averageValue']);
const textMaps: ReadonlySet<string> = new Set(['labels', 'annotations', 'matchLabels', 'data']);

// What servers add inside of parts that are owned as a whole (k8s.io/kubernetes, v1 defaults).
// Elsewhere a default is a field of its own, which nobody owns.
const atomicDefaults: Readonly<Record<string, unknown>> = {
  'fieldRef.apiVersion': 'v1',
  'resourceFieldRef.divisor': '0',
  'ports.protocol': 'TCP',
  'rules.scope': '*',
  'serviceAccountToken.expirationSeconds': 3600,
};

/** The place of the field `name` of a value at `place`. */
export function placeOfField(place: Place, name: string): Place {
  return { kind: kindOfField(place.kind, name), field: name };
}

function kindOfField(kind: Place['kind'], name: string): Place['kind'] {
  switch (kind) {
    case 'root':
      return name === 'spec' ? 'spec' : 'text';
    case 'spec':
      if (textMaps.has(name)) return 'text';
      if (quantityMaps.has(name)) return 'quantities';
      return quantityFields.has(name) ? 'quantity' : 'spec';
    case 'quantities':
      return 'quantity';
    case 'text':
    case 'quantity':
      return kind;
  }
}

/**
 * Whether a server may have stored `live` for `wanted`: equal values, quantities of one size
 * ("1000m" and "1"), nothing for null or an empty list, a default beside what was said.
 */
export function isSameMeaning(wanted: unknown, live: unknown, place: Place): boolean {
  if (wanted === live) return true;
  if (isNothing(wanted)) return live === undefined || isNothing(live);
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return false;
    return wanted.every((item, index) => isSameMeaning(item, live[index], place));
  }
  if (isJsonObject(wanted)) {
    if (!isJsonObject(live)) return false;
    const names = new Set([...Object.keys(wanted), ...Object.keys(live)]);
    return [...names].every((name) => {
      const [a, b] = [ownField(wanted, name), ownField(live, name)];
      if (a === undefined) return b === undefined || isDefault(b, `${place.field}.${name}`);
      return isSameMeaning(a, b, placeOfField(place, name));
    });
  }
  return place.kind === 'quantity' && isSameQuantity(wanted, live);
}

function ownField(value: { readonly [name: string]: unknown }, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function isDefault(live: unknown, field: string): boolean {
  return Object.hasOwn(atomicDefaults, field) && atomicDefaults[field] === live;
}

function isSameQuantity(wanted: unknown, live: unknown): boolean {
  const [a, b] = [toQuantity(wanted), toQuantity(live)];
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}

function toQuantity(value: unknown): ReturnType<typeof parseQuantity> {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}
