import type { JsonObject } from '@fnlet/base';
import { listField, objectField } from '../object/object-form.ts';
import { addUsage, largerUsage, parseUsage, type Usage } from './usage.ts';

/** What a Pod asks for and what it may use, all its containers together. */
export interface PodNeeds {
  readonly requests: Usage;
  readonly limits: Usage;
}

const nothing: Usage = new Map();

/**
 * What a Pod needs (component-helpers, resource/helpers.go; sidecars by KEP-753, resources of the
 * Pod by KEP-2837). What it asks for is what it has: the resources of a running Pod are not changed
 * here.
 */
export function podNeeds(pod: JsonObject): PodNeeds {
  const spec = objectField(pod, 'spec');
  const whole = objectField(spec, 'resources');
  const overhead = parseUsage(spec.overhead);
  const requests = new Map([...sumOf(spec, 'requests'), ...podLevel(whole.requests)]);
  const limits = new Map([...sumOf(spec, 'limits'), ...podLevel(whole.limits)]);
  // What nothing bounds, the overhead does not bound either.
  const bounded = [...overhead].filter(([name]) => (limits.get(name)?.nano ?? 0n) !== 0n);
  return { requests: addUsage(requests, overhead), limits: addUsage(limits, new Map(bounded)) };
}

/** Whether the Pod says as a whole what it needs. */
export function hasPodResources(pod: JsonObject): boolean {
  const { requests, limits } = objectField(objectField(pod, 'spec'), 'resources');
  return podLevel(requests).size + podLevel(limits).size > 0;
}

/** Of a list of resources those that a Pod can have as a whole. */
export function podLevel(list: unknown): Usage {
  const isKnown = (name: string): boolean =>
    name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
  return new Map([...parseUsage(list)].filter(([name]) => isKnown(name)));
}

/**
 * What the containers of a Pod need. What runs together adds up. Init containers run one after the
 * other, beside the sidecars that were started before them, and count where that is more.
 */
export function sumOf(spec: JsonObject, part: 'requests' | 'limits'): Usage {
  const needOf = (container: JsonObject): Usage =>
    parseUsage(objectField(container, 'resources')[part]);
  let together = nothing;
  for (const container of listField(spec, 'containers')) {
    together = addUsage(together, needOf(container));
  }
  let sidecars = nothing;
  let most = nothing;
  for (const container of listField(spec, 'initContainers')) {
    const need = needOf(container);
    const meanwhile = addUsage(need, sidecars);
    most = largerUsage(most, meanwhile);
    if (container.restartPolicy !== 'Always') continue;
    sidecars = meanwhile;
    together = addUsage(together, need);
  }
  return largerUsage(together, most);
}
