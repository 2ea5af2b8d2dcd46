import { type KubeObject, objectKey, type ResourceType } from '@fnlet/machinery';
import type { KindContext } from '@fnlet/reconcile';

/** Makes an object go with another one, and with others that it belongs to: once all are gone. */
export async function belongTo(
  object: KubeObject,
  { apiVersion, kind, metadata }: KubeObject,
  {
    client,
    signal,
    type,
  }: Pick<KindContext, 'client' | 'signal'> & { readonly type: ResourceType },
): Promise<void> {
  const { name, uid = '' } = metadata;
  const { ownerReferences = [], resourceVersion = '' } = object.metadata;
  if (ownerReferences.some((reference) => reference.uid === uid)) return;
  const owners = [...ownerReferences, { apiVersion, kind, name, uid }];
  // With its version: nobody's reference gets lost.
  const patch = { metadata: { resourceVersion, ownerReferences: owners } };
  await client.of<KubeObject>(type).patch(objectKey(object), { type: 'merge', patch }, { signal });
}
