import type { Clock } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type KubeObject, objectKey, parseApiVersion } from '@fnlet/machinery';
import type { BreakerOptions } from '../apply/breaker.ts';
import { type ChildWriter, createChildWriter } from '../apply/child-writer.ts';
import type { DeclaredCaches, OwnedCache } from './declared-caches.ts';
import { kindName, resourceTypeOf } from './kind-type.ts';

/** Writes children of the kinds that are owned; it knows of them what their caches keep. */
export function declaredChildren(
  { primaries: { type }, owned }: DeclaredCaches,
  options: {
    readonly client: Client;
    /** Whether other replicas write children at the same time, which caches show a little later. */
    readonly isShared: boolean;
    readonly breaker?: BreakerOptions | undefined;
    readonly finalizer?: string | undefined;
    readonly clock: Clock;
  },
): ChildWriter {
  const { client, isShared, breaker, finalizer, clock } = options;
  const primaries = client.of<KubeObject>(type);
  const types = new Map(owned.map(({ kind }) => [kindName(kind), resourceTypeOf(kind)]));
  return createChildWriter({
    client,
    typeOf: (apiVersion, kind) =>
      types.get(kindName({ group: parseApiVersion(apiVersion).group, kind })),
    isPartial: inKinds(owned.filter(({ isWhole }) => !isWhole)),
    isComplete: inKinds(owned.filter(({ isOfAll }) => isOfAll && !isShared)),
    breaker,
    finalizer,
    isAlive: async (primary, signal) => {
      const live = await primaries.tryGet(objectKey(primary), { signal });
      const isSame = live?.metadata.uid === primary.metadata.uid;
      return isSame && live?.metadata.deletionTimestamp === undefined;
    },
    clock,
  });
}

function inKinds(owned: readonly OwnedCache[]): (object: KubeObject) => boolean {
  const names = new Set(owned.map(({ kind }) => kindName(kind)));
  return ({ apiVersion, kind }) =>
    names.has(kindName({ group: parseApiVersion(apiVersion).group, kind }));
}
