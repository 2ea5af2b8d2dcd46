import { hasCode } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import { formatObjectKey, type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import { type Controller, createController, fromCache } from '@fnlet/reconcile';
import type { ControllerContext } from './controller-context.ts';
import { limits } from './limits.ts';
import { planEndpoints, sliceName } from './plan-endpoints.ts';
import type { Pod } from './pod.ts';
import { endpointSliceType, endpointsType, type Service } from './service.ts';

/** Keeps EndpointSlices and Endpoints of Services that select Pods. */
export function createEndpointsController(
  context: ControllerContext,
  services: Cache<Service>,
): Controller {
  const { pods, clock, logger } = context;
  /** How many slices a Service has, and what they say. */
  const written = new Map<string, { readonly slices: number; readonly text: string }>();
  const selecting = (pod: Pod): ObjectKey[] =>
    services
      .list(pod.metadata.namespace)
      .filter((service) => selects(service, pod))
      .map(objectKey);
  return createController({
    name: 'endpoints',
    sources: [fromCache(services), fromCache(pods, { map: selecting })],
    reconcile: async (key, { signal }) => {
      const service = services.get(key);
      const name = formatObjectKey(key);
      if (service === undefined) {
        // The garbage collector takes what a Service leaves.
        written.delete(name);
        return undefined;
      }
      if (service.spec.selector === undefined || service.spec.type === 'ExternalName') return;
      const members = pods.list(key.namespace).filter((pod) => selects(service, pod));
      const plan = planEndpoints(service, members);
      const text = JSON.stringify(plan);
      const before = written.get(name);
      if (before?.text === text) return undefined;
      const { client } = context;
      const options = { force: true, signal };
      const slices = client.of<KubeObject>(endpointSliceType);
      for (const slice of plan.slices) await slices.apply(slice, options);
      for (let number = plan.slices.length; number < (before?.slices ?? 0); number++) {
        const spare = { namespace: key.namespace, name: sliceName(service, number) };
        await slices.delete(spare, { signal }).catch(ignoreMissing);
      }
      await client.of<KubeObject>(endpointsType).apply(plan.endpoints, options);
      written.set(name, { slices: plan.slices.length, text });
      return undefined;
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'NotFound')) throw error;
}

function selects({ spec }: Service, { metadata }: Pod): boolean {
  const selector = Object.entries(spec.selector ?? {});
  return selector.length > 0 && selector.every(([key, value]) => metadata.labels?.[key] === value);
}
