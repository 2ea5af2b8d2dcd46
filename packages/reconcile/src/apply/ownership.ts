/*
 * How a child is known as its primary's.
 *
 * By owner reference where the garbage collector follows it: in the primary's namespace, or from a
 * primary of the whole cluster. Elsewhere by a label and an annotation, and then the primary's
 * finalizer deletes the child; the uid in the label tells a primary from an earlier one of its name
 * (java-operator-sdk, mappers).
 */
import {
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  objectKey,
  parseApiVersion,
} from '@fnlet/machinery';
import { toController } from '../source/cache-source.ts';
import { ownerAnnotation, ownerUidLabel } from './child-marks.ts';

/** By what a child is known as its primary's. */
export type OwnerMark = 'reference' | 'label';

/** Which mark can work for a child in this namespace; empty for one of the whole cluster. */
export function ownerMarkFor(primary: KubeObject, namespace: string): OwnerMark {
  const home = primary.metadata.namespace ?? '';
  return home === '' || home === namespace ? 'reference' : 'label';
}

/** The manifest of a child with the mark of its primary, beside what it says itself. */
export function withOwner(child: KubeObject, primary: KubeObject, mark: OwnerMark): KubeObject {
  const { metadata } = child;
  if (mark === 'reference') {
    const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== uidOf(primary));
    const ownerReferences = [...others, referenceTo(primary)];
    return { ...child, metadata: { ...metadata, ownerReferences } };
  }
  const labels = { ...metadata.labels, [ownerUidLabel]: uidOf(primary) };
  const annotations = { ...metadata.annotations, [ownerAnnotation]: ownerText(primary) };
  return { ...child, metadata: { ...metadata, labels, annotations } };
}

/**
 * Controls the child, and holds up a foreground deletion of the primary until the child is gone
 * (controller-runtime, SetControllerReference).
 */
function referenceTo(primary: KubeObject): OwnerReference {
  const { apiVersion, kind } = primary;
  const { name } = primary.metadata;
  const uid = uidOf(primary);
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function ownerText(primary: KubeObject): string {
  const { namespace, name } = objectKey(primary);
  return [parseApiVersion(primary.apiVersion).group, primary.kind, namespace, name].join('/');
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

/** The uids of the primaries whose child an object is: one, but for a child that changes hands. */
export function ownerUidsOf({ metadata }: KubeObject): string[] {
  const { ownerReferences = [], labels } = metadata;
  const controllers = ownerReferences.filter(({ controller }) => controller === true);
  const label = labels?.[ownerUidLabel];
  return [...controllers.map(({ uid }) => uid), ...(label === undefined ? [] : [label])];
}

/** Whether the object is a child of this very primary, not of another one of its name. */
export function isOwnedBy(object: KubeObject, primary: KubeObject): boolean {
  const { ownerReferences = [], labels, annotations } = object.metadata;
  const uid = uidOf(primary);
  if (ownerReferences.some((owner) => owner.controller === true && owner.uid === uid)) return true;
  return labels?.[ownerUidLabel] === uid && annotations?.[ownerAnnotation] === ownerText(primary);
}

/**
 * Who else has this object as a child, in words; `undefined` when it may be adopted. A label that
 * an earlier primary of the same name has left binds nobody: names are unique, so that one is gone.
 */
export function foreignOwner(object: KubeObject, primary: KubeObject): string | undefined {
  const { ownerReferences = [], labels, annotations } = object.metadata;
  const uid = uidOf(primary);
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller !== undefined && controller.uid !== uid) {
    return `${controller.kind} "${controller.name}" (uid ${controller.uid})`;
  }
  const label = labels?.[ownerUidLabel];
  const owner = annotations?.[ownerAnnotation];
  if (label === undefined || label === uid || owner === ownerText(primary)) return undefined;
  return `"${owner ?? 'unknown'}" (uid ${label})`;
}

/**
 * A mapping from children to their primaries of this kind, by either mark, for a watch of a child
 * kind. The version of an owner reference does not count.
 *
 * @example
 * fromCache(deployments, { map: toPrimary(siteType) })
 */
export function toPrimary(type: {
  readonly group: string;
  readonly kind: string;
}): (object: KubeObject) => ObjectKey[] {
  const byReference = toController(type);
  return (object) => {
    const text = object.metadata.annotations?.[ownerAnnotation];
    const parts = text?.split('/') ?? [];
    const [group, kind, namespace, name] = parts;
    const isMarked = parts.length === 4 && group === type.group && kind === type.kind;
    if (!isMarked || namespace === undefined || name === undefined) return byReference(object);
    return [...byReference(object), { namespace, name }];
  };
}
