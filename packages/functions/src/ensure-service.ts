import type { FunctionObject } from '@fnlet/api';
import { errorMessage, hasCode } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import { objectKey } from '@fnlet/machinery';
import type { EventRecorder } from '@fnlet/reconcile';
import type { Service } from './core-kinds.ts';
import { isChangedService, type KnownService } from './known-service.ts';
import { isOwnedBy } from './plan-revision.ts';
import { planService } from './plan-service.ts';

/** What Services of Functions are read and written with. */
export type ServiceClient = Pick<ResourceClient<Service>, 'create' | 'tryGet' | 'patch' | 'apply'>;

interface EnsureOptions {
  readonly client: ServiceClient;
  readonly cache: Pick<Cache<KnownService>, 'get' | 'observe'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly signal: AbortSignal;
}

/**
 * Makes the Service of a Function if there is none of that name, and puts right what somebody has
 * changed of it. A foreign one stays as it is.
 */
export async function ensureService(owner: FunctionObject, options: EnsureOptions): Promise<void> {
  const { client, cache, events, signal } = options;
  const plan = planService(owner);
  const known = cache.get(objectKey(owner));
  if (known !== undefined) {
    if (isOwnedBy(known, owner) && isChangedService(known, plan)) {
      await putRight(owner, plan, options);
    }
    return;
  }
  try {
    cache.observe(await client.create(plan, { signal }));
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    // Without its labels it is not seen.
    const found = await client.tryGet(objectKey(owner), { signal });
    if (found !== undefined && isOwnedBy(found, owner)) {
      await putRight(owner, plan, options);
      return;
    }
    events.record(owner, {
      type: 'Warning',
      reason: 'ServiceNameTaken',
      message: `Service "${owner.metadata.name}" exists and is not Fnlet's: it is left as it is`,
    });
  }
}

async function putRight(
  owner: FunctionObject,
  plan: Service,
  { client, cache, events, signal }: EnsureOptions,
): Promise<void> {
  const apply = async (): Promise<void> => {
    cache.observe(await client.apply(plan, { force: true, signal }));
  };
  try {
    await apply().catch(async (error: unknown) => {
      if (!hasCode(error, 'Invalid')) throw error;
      // A port of another number that has the name of one of these keeps it from being applied.
      const { ports = [] } = plan.spec;
      const patch = { spec: { ports: ports.map((port) => ({ ...port })) } };
      await client.patch(objectKey(owner), { type: 'merge', patch }, { signal });
      await apply();
    });
  } catch (error) {
    if (!hasCode(error, 'Invalid')) throw error;
    events.record(owner, {
      type: 'Warning',
      reason: 'ServiceNotKept',
      message: `Service "${owner.metadata.name}" cannot be put right, delete it: ${errorMessage(error)}`,
    });
  }
}
