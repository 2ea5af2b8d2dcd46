import type { Clock } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type KubeObject, objectKey, parseApiVersion } from '@fnlet/machinery';
import type { BreakerOptions } from '../apply/breaker.ts';
import { type ChildWriter, createChildWriter } from '../apply/child-writer.ts';
import type { KeyOwnership } from '../key-ownership.ts';
import type { DeclaredCaches, OwnedCache } from './declared-caches.ts';
import { kindName, resourceTypeOf } from './kind-type.ts';

/** Writes children of the kinds that are owned; it knows of them what their caches keep. */
export function declaredChildren(
  { primaries: { type }, owned }: DeclaredCaches,
  options: {
    readonly client: Client;
    readonly ownership?: KeyOwnership | undefined;
    readonly breaker?: BreakerOptions | undefined;
    readonly finalizer?: string | undefined;
    readonly clock: Clock;
  },
): ChildWriter {
  const { client, ownership, breaker, finalizer, clock } = options;
  const primaries = client.of<KubeObject>(type);
  const types = new Map(owned.map(({ kind }) => [kindName(kind), resourceTypeOf(kind)]));
  return createChildWriter({
    client,
    typeOf: (apiVersion, kind) =>
      types.get(kindName({ group: parseApiVersion(apiVersion).group, kind })),
    isPartial: inKinds(owned.filter(({ isWhole }) => !isWhole)),
    // Other replicas write at the same time, and what they write is seen a little later.
    isComplete: inKinds(owned.filter(({ isOfAll }) => isOfAll && ownership === undefined)),
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
