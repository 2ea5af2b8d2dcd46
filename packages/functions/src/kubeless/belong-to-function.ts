import { type FunctionObject, functionType } from '@fnlet/api';
import { type KubeObject, objectKey, type ResourceType } from '@fnlet/machinery';
import type { KindContext } from '@fnlet/reconcile';

/**
 * A trigger goes with its function, as in Kubeless: the garbage collector takes it along. While
 * there is no such function, nothing happens.
 */
export async function belongToFunction(
  trigger: KubeObject,
  functionName: string,
  {
    client,
    signal,
    type,
  }: Pick<KindContext, 'client' | 'signal'> & { readonly type: ResourceType },
): Promise<void> {
  const { namespace = '' } = trigger.metadata;
  const key = { namespace, name: functionName };
  const target = await client.of<FunctionObject>(functionType).tryGet(key, { signal });
  if (target === undefined) return;
  const { apiVersion, kind, metadata } = target;
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
