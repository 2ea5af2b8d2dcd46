import type { FunctionObject } from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import type { EventRecorder } from '@fnlet/reconcile';
import type { Service } from './core-kinds.ts';
import { planService } from './plan-service.ts';

/** Makes the Service of a Function if there is none of that name. A foreign one stays as it is. */
export async function ensureService(
  owner: FunctionObject,
  options: {
    readonly client: Pick<ResourceClient<Service>, 'create'>;
    readonly cache: Pick<Cache<KubeObject>, 'get' | 'observe'>;
    readonly events: Pick<EventRecorder, 'record'>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { client, cache, events, signal } = options;
  if (cache.get(objectKey(owner)) !== undefined) return;
  try {
    cache.observe(await client.create(planService(owner), { signal }));
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    events.record(owner, {
      type: 'Warning',
      reason: 'ServiceNameTaken',
      message: `Service "${owner.metadata.name}" exists and is not Fnlet's: it is left as it is`,
    });
  }
}
