import type { ManagedFieldsEntry } from '../object.ts';
import type { FieldSet } from './field-set.ts';

/** Who acts on an object: a manager, through a subresource, in a version of the API. */
export type FieldActor = Pick<
  ManagedFieldsEntry,
  'manager' | 'operation' | 'apiVersion' | 'subresource'
>;

/** A manager and the fields that it owns; the parsed form of a managedFields entry. */
export interface FieldOwner extends FieldActor {
  readonly time?: string;
  readonly fields: FieldSet;
}

/** The owners of an object's fields by identity, see {@link ownerKey}. */
export type FieldOwners = ReadonlyMap<string, FieldOwner>;

/**
 * What makes two entries one owner. Who applies keeps its identity across versions of the API; who
 * updates does not (k8s.io/apimachinery, managedfields BuildManagerIdentifier).
 */
export function ownerKey({ manager, operation, apiVersion, subresource }: FieldActor): string {
  const version = operation === 'Apply' ? '' : apiVersion;
  return JSON.stringify([manager, operation, version, subresource ?? '']);
}
