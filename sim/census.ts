import type { KubeObject } from '@fnlet/machinery';
import { ConfigMap, Deployment, Service } from '@fnlet/sdk/operator';
import { kinds } from './operators/catalogue.ts';
import type { Thing, ThingKind } from './operators/thing.ts';
import type { World } from './world.ts';

/** Everything that is there at one moment. */
export interface Census {
  readonly nowMs: number;
  readonly things: readonly { readonly kind: ThingKind; readonly thing: Thing & KubeObject }[];
  /** Whatever is, or could be, a child. */
  readonly others: readonly KubeObject[];
}

/** Counts what is there. */
export async function takeCensus({ users, cluster }: World): Promise<Census> {
  const things = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await users.of(kind).list();
      return items.map((thing) => ({ kind, thing }));
    }),
  );
  const lists = await Promise.all([
    named(ConfigMap.kind, await users.of(ConfigMap).list()),
    named(Deployment.kind, await users.of(Deployment).list()),
    named(Service.kind, await users.of(Service).list()),
  ]);
  return { nowMs: cluster.clock.now(), things: things.flat(), others: lists.flat() };
}

// Items of a list do not say of what kind they are.
function named(kind: string, { items }: { readonly items: readonly KubeObject[] }): KubeObject[] {
  return items.map((object) => ({ ...object, kind }));
}
