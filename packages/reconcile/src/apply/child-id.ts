import { formatObjectKey, type KubeObject, parseApiVersion } from '@fnlet/machinery';

/** Which object a child is. The version does not count: it is one object in all of them. */
export interface ChildId {
  readonly group: string;
  readonly kind: string;
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** How one child names another; any object of it will do. */
export interface ChildReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** The identity of an object as it was read. */
export function childId({ apiVersion, kind, metadata }: KubeObject | ChildReference): ChildId {
  const { group } = parseApiVersion(apiVersion);
  return { group, kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

/** One text per identity, for people as well: `Deployment.apps "default/web"`. */
export function formatChildId(child: ChildId): string {
  const kind = child.group === '' ? child.kind : `${child.kind}.${child.group}`;
  return `${kind} "${formatObjectKey(child)}"`;
}
