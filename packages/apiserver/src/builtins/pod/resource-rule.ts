import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  compareQuantities,
  type FieldError,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '@fnlet/machinery';
import { objectField } from '../../object/object-form.ts';
import { qualifiedName, quantity } from '../form.ts';
import { invalid, missing } from '../refusal.ts';
import { about, all, entriesOf, fields, type Rule } from '../rule.ts';

// core/v1 ResourceRequirements: what a container needs, and what it may use.

const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Names without a domain that mean something somewhere in Kubernetes. */
const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  'storage',
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'requests.storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

/** Whether a quota knows this name: all but storage that nobody requests. */
export function isQuotaResource(name: string): boolean {
  return (standardResources.has(name) && name !== 'storage') || isHugePages(name);
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
}

/** The name of anything that there can be some of. */
export const resourceName: Rule = (value, path) => {
  const name = String(value);
  const errors = qualifiedName(name, path);
  if (errors.length > 0 || name.includes('/')) return errors;
  if (standardResources.has(name) || isHugePages(name)) return [];
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
};

/** The name of something that a container can have. */
export const containerResourceName: Rule = (value, path) => {
  const name = String(value);
  const errors = resourceName(name, path);
  if (name.includes('/') || containerResources.has(name) || isHugePages(name)) return errors;
  return [...errors, invalid(path, name, 'must be a standard resource for containers')];
};

/** Resources that cannot be promised to two: huge pages and devices. */
function isOvercommitted(name: string): boolean {
  return !name.includes('/') && !isHugePages(name);
}

const requestsWithinLimits: Rule = about((requirements, path) => {
  const limits = objectField(requirements, 'limits');
  return Object.entries(objectField(requirements, 'requests')).flatMap(([name, request]) =>
    requestErrors({ name, request, limit: limits[name] }, path),
  );
});

function requestErrors(
  { name, request, limit }: { name: string; request: unknown; limit: unknown },
  path: string,
): FieldError[] {
  const wanted = quantityOf(request);
  const most = quantityOf(limit);
  if (wanted === undefined) return [];
  if (most === undefined) {
    if (isOvercommitted(name)) return [];
    return [missing(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(wanted, most);
  const at = `${path}.requests`;
  if (order !== 0 && !isOvercommitted(name)) {
    return [invalid(at, request, `must be equal to ${name} limit of ${String(limit)}`)];
  }
  if (order <= 0) return [];
  return [invalid(at, request, `must be less than or equal to ${name} limit of ${String(limit)}`)];
}

/** What a value means as a quantity; undefined when it means none. */
export function quantityOf(value: unknown): Quantity | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}

// What is no number of cores or bytes, such as a device, is there or it is not.
const wholeNumbers: Rule = about((all, path) =>
  Object.entries(all).flatMap(([name, value]) => {
    const found = quantityOf(value);
    const isWhole = found === undefined || found.nano % 1_000_000_000n === 0n;
    if (!name.includes('/') || name.startsWith('kubernetes.io/') || isWhole) return [];
    return [invalid(`${path}[${name}]`, formatQuantity(found), 'must be an integer')];
  }),
);

const amounts = all(entriesOf(containerResourceName, quantity), wholeNumbers);

/** What a container needs and may use. */
export const resourceRequirements: Rule = all(
  fields({ limits: amounts, requests: amounts }),
  requestsWithinLimits,
);

/** A container that says what it may use and not what it needs, needs just that (core/v1). */
export function requestLimits(container: JsonObject): JsonObject {
  const { resources } = container;
  if (!isJsonObject(resources) || !isJsonObject(resources.limits)) return container;
  const requests = { ...resources.limits, ...objectField(resources, 'requests') };
  return { ...container, resources: { ...resources, requests } };
}
