import type { JsonObject } from '@fnlet/base';
import { listField, objectField } from '../object/object-form.ts';
import { countName } from './count-evaluator.ts';
import type { Evaluator } from './evaluator.ts';
import { countOf, type Usage } from './usage.ts';

// kubernetes, pkg/quota/v1/evaluator/core/services.go.

const counted = countName('', 'services');

const names: ReadonlySet<string> = new Set([
  ...[counted, 'services', 'services.nodeports', 'services.loadbalancers'],
]);

/** How many ports of the node it has, or will be given. */
function nodePortsOf(spec: JsonObject): number {
  const ports = listField(spec, 'ports');
  if (spec.type === 'NodePort') return ports.length;
  if (spec.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

function usageOf(service: JsonObject): Usage {
  const spec = objectField(service, 'spec');
  return new Map([
    [counted, countOf(1)],
    ['services', countOf(1)],
    ['services.nodeports', countOf(nodePortsOf(spec))],
    ['services.loadbalancers', countOf(spec.type === 'LoadBalancer' ? 1 : 0)],
  ]);
}

/** core/v1 Service. */
export const serviceEvaluator: Evaluator = {
  counts: (name) => names.has(name),
  usageOf,
  chargesUpdate: ({ subresource }) => subresource === undefined,
};
