import type { JsonObject } from '@fnlet/base';
import { listField, objectField, textField } from '../object/object-form.ts';
import { countName } from './count-evaluator.ts';
import type { Evaluator } from './evaluator.ts';
import { hasPodResources, podNeeds } from './pod-needs.ts';
import { meetsRequirement, type ScopeRequirement } from './quota.ts';
import { countOf, parseUsage, type Usage } from './usage.ts';

// kubernetes, pkg/quota/v1/evaluator/core/pods.go.

const counted = countName('', 'pods');

const basic = ['cpu', 'memory', 'ephemeral-storage'];

const names: ReadonlySet<string> = new Set([
  ...[counted, 'pods'],
  ...basic.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

const hugePages = 'hugepages-';
const devices = 'deviceclass.resource.kubernetes.io/';
const requestsOf = 'requests.';

/** Whether the name is one of Kubernetes' own, and no device that somebody added. */
function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function counts(name: string): boolean {
  if (names.has(name)) return true;
  if (name.startsWith(hugePages) || name.startsWith(`${requestsOf}${hugePages}`)) return true;
  if (!name.startsWith(requestsOf)) return false;
  return !isNative(name) || name.startsWith(`${requestsOf}${devices}`);
}

function isDevice(name: string): boolean {
  return (!isNative(name) && !name.startsWith(requestsOf)) || name.startsWith(devices);
}

/** What is asked for and what may be used, by the names that quotas have for it. */
function quotaNames(requests: Usage, limits: Usage): Usage {
  const usage = new Map([['pods', countOf(1)]]);
  for (const name of basic) {
    const request = requests.get(name);
    if (request !== undefined) usage.set(name, request).set(`${requestsOf}${name}`, request);
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    const isPages = name.startsWith(hugePages);
    if (isPages) usage.set(name, request);
    if (isPages || isDevice(name)) usage.set(`${requestsOf}${name}`, request);
  }
  return usage;
}

/** Whether the Pod runs or may still run: one that has ended counts as an object and no more. */
function isAlive(pod: JsonObject, now: number): boolean {
  const phase = textField(objectField(pod, 'status'), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const end = endsAtMs(pod);
  return end === undefined || now <= end;
}

/** When a Pod that should be gone does not count any more, though nobody has seen it go. */
function endsAtMs(pod: JsonObject): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = objectField(pod, 'metadata');
  if (typeof deletionTimestamp !== 'string') return undefined;
  if (typeof deletionGracePeriodSeconds !== 'number') return undefined;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function usageOf(pod: JsonObject, now: number): Usage {
  const usage = new Map([[counted, countOf(1)]]);
  if (!isAlive(pod, now)) return usage;
  const { requests, limits } = podNeeds(pod);
  return new Map([...usage, ...quotaNames(requests, limits)]);
}

/** Whether the Pod ends by a deadline of its own. */
function hasDeadline(pod: JsonObject): boolean {
  const { activeDeadlineSeconds } = objectField(pod, 'spec');
  return typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0;
}

function isBestEffort(pod: JsonObject): boolean {
  return textField(objectField(pod, 'status'), 'qosClass') === 'BestEffort';
}

function looksIntoOtherNamespaces(pod: JsonObject): boolean {
  const affinity = objectField(objectField(pod, 'spec'), 'affinity');
  const terms = ['podAffinity', 'podAntiAffinity'].flatMap((field) => {
    const rules = objectField(affinity, field);
    const weighted = listField(rules, 'preferredDuringSchedulingIgnoredDuringExecution');
    return [
      ...listField(rules, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...weighted.map((one) => objectField(one, 'podAffinityTerm')),
    ];
  });
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (Array.isArray(namespaces) && namespaces.length > 0) ||
      (namespaceSelector !== undefined && namespaceSelector !== null),
  );
}

function isInScope(pod: JsonObject, requirement: ScopeRequirement): boolean {
  switch (requirement.scope) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const name = textField(objectField(pod, 'spec'), 'priorityClassName');
      return meetsRequirement(requirement, name === '' ? undefined : name);
    }
    case 'CrossNamespacePodAffinity':
      return looksIntoOtherNamespaces(pod);
    default:
      return false;
  }
}

// Of no other resource must a Pod say how much it needs: that it must of these is a mistake that
// Kubernetes is bound to.
const mustBeSaid: ReadonlySet<string> = new Set([
  ...['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'],
]);

function missing(pod: JsonObject, asked: readonly string[]): string | undefined {
  if (hasPodResources(pod)) return undefined;
  const spec = objectField(pod, 'spec');
  const containers = [...listField(spec, 'containers'), ...listField(spec, 'initContainers')];
  const silent = asked.filter((name) => mustBeSaid.has(name)).sort();
  const texts = silent.flatMap((name) => {
    const who = containers.filter((container) => !says(container, name));
    const named = new Set(who.map((container) => textField(container, 'name')));
    return named.size === 0 ? [] : [`${name} for: ${[...named].sort().join(',')}`];
  });
  return texts.length === 0 ? undefined : `must specify ${texts.join('; ')}`;
}

function says(container: JsonObject, name: string): boolean {
  const { requests, limits } = objectField(container, 'resources');
  return quotaNames(parseUsage(requests), parseUsage(limits)).has(name);
}

/** core/v1 Pod. */
export const podEvaluator: Evaluator = {
  counts,
  usageOf,
  endsAtMs,
  isInScope,
  missing,
  // An update can bring a Pod into another scope, and not make it need more.
  chargesUpdate: ({ object, old, subresource }) =>
    subresource === undefined && hasDeadline(object) !== hasDeadline(old),
};
