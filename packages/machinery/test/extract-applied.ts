import { isJsonObject } from '@fnlet/base';
import { extractItems, withKeyFields } from '../src/apply/extract-items.ts';
import { ownerKey } from '../src/apply/field-owner.ts';
import { leavesOf } from '../src/apply/field-set.ts';
import { decodeManagedFields, withoutManagedFields } from '../src/apply/managed-fields.ts';
import type { FieldType } from '../src/field-type.ts';
import type { KubeObject } from '../src/object.ts';

/** Whose configuration is asked for. */
export interface AppliedBy {
  readonly manager: string;
  /** How objects of this kind are merged. */
  readonly type: FieldType;
  /** The subresource that was applied through; absent for the object itself. */
  readonly subresource?: string | undefined;
}

/**
 * What a manager has applied, as a configuration that it can change and apply again (the Extract
 * functions of client-go's apply configurations); undefined when it has applied nothing.
 */
export function extractApplied(
  object: KubeObject,
  { manager, type, subresource = '' }: AppliedBy,
): KubeObject | undefined {
  const owners = decodeManagedFields(object.metadata.managedFields);
  const owner = owners?.get(ownerKey({ manager, operation: 'Apply', apiVersion: '', subresource }));
  if (owner === undefined) return undefined;
  const value = { value: withoutManagedFields(object), type };
  const extracted = extractItems(value, withKeyFields(value, leavesOf(owner.fields)));
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const own = isJsonObject(extracted) ? extracted : {};
  return {
    ...own,
    apiVersion,
    kind,
    metadata: {
      ...(isJsonObject(own.metadata) ? own.metadata : {}),
      name,
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
}
