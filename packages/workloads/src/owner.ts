import type { OwnerReference } from '@fnlet/machinery';
import { type KubeObject, type LabelSelector, matchesLabels } from '@fnlet/machinery';

/** The reference that makes `owner` the controller of an object. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The uid of an object's controller. */
export function controllerUid({ metadata }: KubeObject): string | undefined {
  return (metadata.ownerReferences ?? []).find(({ controller }) => controller === true)?.uid;
}

/** Which objects are an owner's, and which become or cease to be. */
export interface ClaimPlan<T extends KubeObject> {
  readonly owned: readonly T[];
  /** Nobody's, and selected: they become the owner's. */
  readonly adopt: readonly T[];
  /** The owner's, and not selected any more: they become nobody's. */
  readonly release: readonly T[];
}

/**
 * Decides whose objects are (controller_ref_manager.go): what the owner controls and selects is
 * its own; what it selects and nobody controls is adopted; what it controls and does not select is
 * released. An owner that is being deleted claims nothing new.
 */
export function planClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  objects: readonly T[],
): ClaimPlan<T> {
  const owned: T[] = [];
  const adopt: T[] = [];
  const release: T[] = [];
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  for (const object of objects) {
    const controller = controllerUid(object);
    const isSelected =
      selector.requirements.length > 0 && matchesLabels(selector, object.metadata.labels);
    if (controller === owner.metadata.uid) {
      if (isSelected || isGoing) owned.push(object);
      else release.push(object);
    } else if (controller === undefined && isSelected && !isGoing) {
      if (object.metadata.deletionTimestamp === undefined) adopt.push(object);
    }
  }
  return { owned, adopt, release };
}
