import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { objectKey } from '@fnlet/machinery';
import type { KindContext } from '@fnlet/reconcile';
import type { ObjectShape } from '@fnlet/sdk/operator';

/** A trigger goes with its function, as in Kubeless: the garbage collector takes it along. */
export async function belongToFunction(
  trigger: KubeObject,
  { apiVersion, kind, metadata }: ObjectShape,
  {
    client,
    signal,
    type,
  }: Pick<KindContext, 'client' | 'signal'> & { readonly type: ResourceType },
): Promise<void> {
  const { name, uid = '' } = metadata;
  const { ownerReferences = [], ...own } = trigger.metadata;
  if (ownerReferences.some((reference) => reference.uid === uid)) return;
  const owners = [...ownerReferences, { apiVersion, kind, name, uid }];
  // With its version: nobody's reference gets lost.
  const patch = {
    metadata: { resourceVersion: own.resourceVersion ?? '', ownerReferences: owners },
  };
  await client.of<KubeObject>(type).patch(objectKey(trigger), { type: 'merge', patch }, { signal });
}
