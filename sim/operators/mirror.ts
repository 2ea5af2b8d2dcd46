import type { KubeObject } from '@fnlet/machinery';
import { type KindContext, type KindControllerOptions, resourceTypeOf } from '@fnlet/reconcile';
import { ConfigMap } from '@fnlet/sdk/operator';
import { childName, defineThing, type Thing, type ThingKind } from './thing.ts';

export const Mirror: ThingKind = defineThing('Mirror');

type Primary = Thing & KubeObject;

/** The imperative form: it reads caches and writes by itself, and only what differs. */
export function mirrorController(): KindControllerOptions<Thing> {
  return {
    for: Mirror,
    owns: [ConfigMap],
    concurrency: 2,
    // What it makes for an owner that only its cache still shows is collected at once, and that
    // wakes it again: nothing else would slow this down.
    intervalMs: 500,
    backoff: { cap: '20s' },
    async reconcile(key, context) {
      const object = context.cache(Mirror).get(key);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
      await writeChild(object, context);
      await writeStatus(object, context);
      return undefined;
    },
  };
}

async function writeChild(object: Primary, { cache, client, signal }: KindContext): Promise<void> {
  const { apiVersion, kind, metadata, spec } = object;
  const { namespace = '', name: owner, uid = '' } = metadata;
  const name = childName(Mirror, owner);
  const found = cache(ConfigMap).get({ namespace, name });
  const isOwned = found?.metadata.ownerReferences?.some((reference) => reference.uid === uid);
  if (isOwned === true && found?.data?.text === spec.text) return;
  const ownerReferences = [{ apiVersion, kind, name: owner, uid, controller: true }];
  const child = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, ownerReferences },
    data: { text: spec.text },
  };
  const target = { force: true, signal };
  await client.of<KubeObject>(resourceTypeOf(ConfigMap)).apply(child, target);
}

async function writeStatus(object: Primary, { client, signal }: KindContext): Promise<void> {
  const { apiVersion, kind, metadata, spec, status = {} } = object;
  const { namespace = '', name, uid = '', generation = 0 } = metadata;
  const { text, count } = spec;
  const isSaid = status.text === text && status.count === count;
  if (isSaid && status.observedGeneration === generation) return;
  const said = { observedGeneration: generation, text, count };
  const target = { subresource: 'status', force: true, signal };
  await client
    .of<KubeObject>(resourceTypeOf(Mirror))
    .apply({ apiVersion, kind, metadata: { namespace, name, uid }, status: said }, target);
}
