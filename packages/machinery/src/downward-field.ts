import type { ObjectMeta } from './object.ts';
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityValue,
} from './quantity.ts';

/** What the downward API tells a Pod about itself. */
export interface DescribedPod {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly serviceAccountName?: string };
}

type Quantities = Readonly<Record<string, string | number>>;

/** Requests and limits of a container (core/v1 ResourceRequirements). */
export interface ResourceRequirements {
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}

/** One of them, in units of the divisor (core/v1 ResourceFieldSelector). */
export interface ResourceSelector {
  /** Such as `limits.cpu`. */
  readonly resource: string;
  /** Default 1. */
  readonly divisor?: string | number;
}

/** What a Pod is told about where it runs. */
export interface PodPlace {
  readonly podIP: string;
  readonly hostIP: string;
  readonly nodeName: string;
  /** What the node has, for limits that are not set. */
  readonly capacity: Readonly<Record<string, string>>;
}

const subscript = /^metadata\.(labels|annotations)\['(.+)'\]$/;

/** The text of a field that the downward API gives; `undefined`: it gives no such field. */
export function downwardField(
  pod: DescribedPod,
  fieldPath: string,
  place: PodPlace,
): string | undefined {
  const { metadata, spec } = pod;
  const [, map, key = ''] = subscript.exec(fieldPath) ?? [];
  if (map === 'labels') return metadata.labels?.[key] ?? '';
  if (map === 'annotations') return metadata.annotations?.[key] ?? '';
  const fields = new Map([
    ['metadata.name', metadata.name],
    ['metadata.namespace', metadata.namespace ?? ''],
    ['metadata.uid', metadata.uid ?? ''],
    ['metadata.labels', formatMap(metadata.labels ?? {})],
    ['metadata.annotations', formatMap(metadata.annotations ?? {})],
    ['spec.nodeName', place.nodeName],
    ['spec.serviceAccountName', spec.serviceAccountName ?? 'default'],
    ['status.podIP', place.podIP],
    ['status.podIPs', place.podIP],
    ['status.hostIP', place.hostIP],
    ['status.hostIPs', place.hostIP],
  ]);
  return fields.get(fieldPath);
}

// The form of files in a downward API volume: one key per line, the value quoted.
function formatMap(map: Readonly<Record<string, string>>): string {
  const keys = Object.keys(map).sort();
  return keys.map((key) => `${key}=${JSON.stringify(map[key])}`).join('\n');
}

/**
 * The number of a request or limit, in units of its divisor, rounded up. Without a limit it is what
 * the node has; `undefined` for a resource that is not known.
 */
export function resourceField(
  resources: ResourceRequirements,
  { resource, divisor = '1' }: ResourceSelector,
  place: PodPlace,
): string | undefined {
  const [kind, ...rest] = resource.split('.');
  const name = rest.join('.');
  const { limits = {}, requests = {} } = resources;
  const asked = kind === 'limits' ? limits[name] : (requests[name] ?? limits[name]);
  const value = parseQuantity(asked ?? (kind === 'limits' ? (place.capacity[name] ?? '') : '0'));
  const unit = parseQuantity(String(divisor) === '0' ? '1' : divisor);
  if (value === undefined || unit === undefined) return undefined;
  const zero: Quantity = { nano: 0n, format: 'DecimalSI' };
  if (compareQuantities(unit, zero) === 0) return formatQuantity(value);
  return String(Math.ceil(quantityValue(value) / quantityValue(unit)));
}
