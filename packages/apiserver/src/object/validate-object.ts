import { jsonEqual } from '@fnlet/base';
import { type FieldError, invalidError, type KubeObject, validateMetadata } from '@fnlet/machinery';
import { inertWarning } from '../builtins/inert-kinds.ts';
import { validationErrorsMax } from '../limits.ts';
import { fieldError } from '../request/request-options.ts';
import type { Resource } from '../resource/resource.ts';

/**
 * Refuses an object that breaks a rule of its metadata, its schema or its kind.
 *
 * @throws StatusError `Invalid`
 */
export function validateObject(
  resource: Resource,
  object: KubeObject,
  update?: { readonly old: KubeObject; readonly subresource: string | undefined },
): void {
  const { old, subresource } = update ?? {};
  const { strategy } = resource;
  const { nameRule, type, custom } = strategy;
  // The rule for finalizers of builtin kinds is that of the Kubernetes core: apiextensions has none.
  const builtin = !custom && type.group !== 'apiextensions.k8s.io';
  const errors: FieldError[] = [
    ...validateMetadata(object.metadata, { nameRule, namespaced: type.namespaced, builtin }),
    ...(old === undefined ? [] : metadataUpdateErrors(object, old)),
    ...resource.schema.validate(object, old),
    ...(strategy.validate?.(object, old, subresource) ?? []),
  ];
  if (errors.length === 0) return;
  throw invalidError(type, object.metadata.name, errors.slice(0, validationErrorsMax));
}

function metadataUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  if (old.metadata.deletionTimestamp === undefined) return [];
  const before = old.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((name) => !before.includes(name));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  const text = 'no new finalizers can be added if the object is being deleted';
  return [
    fieldError(
      'FieldValueForbidden',
      'metadata.finalizers',
      `Forbidden: ${text}, found new finalizers []string{${list}}`,
    ),
  ];
}

/** Warnings about an object that is accepted all the same. */
export function objectWarnings(object: KubeObject): readonly string[] {
  const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with';
  const standard = ['foregroundDeletion', 'orphan', 'kubernetes'];
  const inert = inertWarning(object);
  return (object.metadata.finalizers ?? [])
    .filter((name) => !name.includes('/') && !standard.includes(name))
    .map((name) => `metadata.finalizers: "${name}": ${advice} other finalizer writers`)
    .concat(inert === undefined ? [] : [inert]);
}

/** The refusal of a change to a field that cannot change; nothing when it did not. */
export function immutableField(path: string, value: unknown, old: unknown): readonly FieldError[] {
  if (jsonEqual(value, old)) return [];
  const text = `Invalid value: ${JSON.stringify(value) ?? 'null'}: field is immutable`;
  return [fieldError('FieldValueInvalid', path, text)];
}
