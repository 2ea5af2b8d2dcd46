import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { internalError } from '../../answer/status-texts.ts';
import { builtinTypes } from '../../builtins/facts/builtin-schema.ts';
import { applyDefaults } from '../../object/apply-defaults.ts';
import { isKubeObject } from '../../object/object-form.ts';
import { admitValue } from '../../request/decode-object.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Mutation } from './mutation.ts';

/** What a mutation has left. */
export interface Mutated {
  /** As which the policy sees the object; absent for a Scale. */
  readonly resource: Resource | undefined;
  readonly mutation: Mutation;
}

/**
 * What a mutation has left as an object of its kind again, with its defaults, or why it is none.
 *
 * @throws StatusError `InternalError`, which no failurePolicy ignores: a JSON patch leaves fields
 *   or values that the kind cannot have
 */
export function settleMutated(
  value: unknown,
  { resource, mutation }: Mutated,
): { readonly object: KubeObject } | { readonly problem: string } {
  const problem = resource === undefined ? undefined : misfit(resource, value);
  if (problem !== undefined) {
    if (mutation.patchType === 'JSONPatch') throw internalError(problem);
    return { problem };
  }
  if (!isKubeObject(value)) throw internalError('a mutation leaves no object');
  if (resource === undefined) return { object: value };
  return { object: applyDefaults(resource, admitValue(resource, value).object) };
}

/** Why a value cannot be read as an object of a builtin kind, strictly. */
function misfit(
  { apiVersion, strategy: { type, message } }: Resource,
  value: unknown,
): string | undefined {
  if (!isJsonObject(value)) return 'a mutation leaves no object';
  if (value.apiVersion !== apiVersion || value.kind !== type.kind) {
    return `a mutation must not change the kind of an object (${apiVersion}, Kind=${type.kind})`;
  }
  if (message === undefined) return undefined;
  const { problem, unknownFields } = builtinTypes.decode(message, value);
  if (problem !== undefined) return problem;
  if (unknownFields.length === 0) return undefined;
  const unknown = unknownFields.map((path) => `unknown field "${path}"`);
  return `strict decoding error: ${unknown.join(', ')}`;
}
