import { assert } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { kinds } from './operators/catalogue.ts';
import { awayNamespace, Tenant } from './operators/tenant.ts';
import { childName, type ThingKind } from './operators/thing.ts';
import { Zone } from './operators/zone.ts';

/** The namespace of everything that is not away. */
export const homeNamespace = 'default';

/** The kind of this name. */
export function kindOf(name: string): ThingKind {
  const found = kinds.find(({ kind }) => kind === name);
  assert(found !== undefined, `the world has a kind ${name}`);
  return found;
}

/** Where an object of the world is. */
export function keyOf({ scope }: ThingKind, name: string): ObjectKey {
  return { name, namespace: scope === 'Cluster' ? '' : homeNamespace };
}

/** Where the first child of an object is. */
export function childKeyOf(kind: ThingKind, name: string): ObjectKey {
  const isAway = kind.kind === Tenant.kind || kind.kind === Zone.kind;
  return { name: childName(kind, name), namespace: isAway ? awayNamespace : homeNamespace };
}

/** Whose child is called so, wherever that is. */
export function ownerNamed(
  child: string,
): { readonly kind: ThingKind; readonly name: string } | undefined {
  const [word, name] = child.split('-');
  const kind = kinds.find((each) => each.kind.toLowerCase() === word);
  return kind === undefined || name === undefined ? undefined : { kind, name };
}
