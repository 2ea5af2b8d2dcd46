import { hasCode } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import {
  type KubeObject,
  type LabelSelectorSpec,
  labelSelectorFromSpec,
  objectKey,
} from '@fnlet/machinery';
import { controllerReference, planClaims } from './owner.ts';

/** The objects that `owner` controls, after adopting and releasing what has changed hands. */
export async function claimObjects<T extends KubeObject>(
  parts: {
    readonly owner: KubeObject;
    readonly selector: LabelSelectorSpec;
    readonly client: ResourceClient<T>;
    readonly cache: Cache<T>;
  },
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { owner, client, cache } = parts;
  const selector = labelSelectorFromSpec(parts.selector);
  const plan = planClaims(owner, selector, cache.list(owner.metadata.namespace ?? ''));
  const owned = [...plan.owned];
  const change = async (object: T, ownerReferences: readonly object[]): Promise<T | undefined> => {
    const { uid, resourceVersion } = object.metadata;
    const patch = { metadata: { uid, resourceVersion, ownerReferences } };
    try {
      const changed = await client.patch(objectKey(object), { type: 'merge', patch }, { signal });
      cache.observe(changed);
      return changed;
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      return undefined;
    }
  };
  for (const object of plan.adopt) {
    const others = object.metadata.ownerReferences ?? [];
    const adopted = await change(object, [...others, controllerReference(owner)]);
    if (adopted !== undefined) owned.push(adopted);
  }
  for (const object of plan.release) {
    const others = (object.metadata.ownerReferences ?? []).filter(
      ({ uid }) => uid !== owner.metadata.uid,
    );
    await change(object, others);
  }
  return owned;
}
