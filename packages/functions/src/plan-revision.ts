import {
  apiVersion,
  type FunctionObject,
  type FunctionSource,
  functionLabel,
  managedBy,
  managedByLabel,
  type RevisionObject,
  revisionDigest,
  revisionTemplate,
} from '@fnlet/api';
import type { KubeObject, OwnerReference } from '@fnlet/machinery';

/** Digits of the digest in a Revision's name: 40 bits, within the history of one Function. */
const nameDigits = 10;

/**
 * The Revision that a Function asks for now. Its name is the digest of everything in it, so the
 * same wish always has the same name, and going back finds the Revision of then.
 *
 * @param source as it was resolved: it names what cannot change any more
 */
export function planRevision(
  owner: FunctionObject,
  source: FunctionSource,
  environmentDigest: string,
): RevisionObject {
  const template = { ...revisionTemplate(owner.spec), source };
  const digest = revisionDigest(template, environmentDigest);
  const { name, namespace } = owner.metadata;
  return {
    apiVersion,
    kind: 'Revision',
    metadata: {
      name: `${name}-${digest.slice(0, nameDigits)}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [functionLabel]: name, [managedByLabel]: managedBy },
      ownerReferences: [ownerReference(owner)],
    },
    spec: { function: name, environmentDigest, ...template },
  };
}

/** The link to the object that others live and die with. */
export function ownerReference({
  apiVersion: version,
  kind,
  metadata,
}: KubeObject): OwnerReference {
  return {
    apiVersion: version,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Whether `object` belongs to this very owner, not to a deleted one of the same name. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid);
}
