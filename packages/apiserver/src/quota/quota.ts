import { isJsonObject, type JsonObject } from '@fnlet/base';
import { listField, objectField, textField } from '../object/object-form.ts';
import { parseUsage, type Usage } from './usage.ts';

/** What an object must be for a quota to count it (core/v1, ScopedResourceSelectorRequirement). */
export interface ScopeRequirement {
  readonly scope: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values: readonly string[];
}

/** A ResourceQuota, as counting reads it. */
export interface Quota {
  readonly name: string;
  /** What is wanted: `spec.hard`. */
  readonly wanted: Usage;
  /** What holds: `status.hard`. A new quota holds from its first count on. */
  readonly hard: Usage;
  /** `status.used`. */
  readonly used: Usage;
  /** All of them must be met. */
  readonly scopes: readonly ScopeRequirement[];
}

/** The quota that a ResourceQuota object is. */
export function parseQuota(object: JsonObject): Quota {
  const spec = objectField(object, 'spec');
  const status = objectField(object, 'status');
  const plain = Array.isArray(spec.scopes) ? spec.scopes.map(String) : [];
  const selected = listField(objectField(spec, 'scopeSelector'), 'matchExpressions');
  return {
    name: textField(isJsonObject(object.metadata) ? object.metadata : {}, 'name'),
    wanted: parseUsage(spec.hard),
    hard: parseUsage(status.hard),
    used: parseUsage(status.used),
    scopes: [
      ...plain.map((scope) => ({ scope, operator: 'Exists', values: [] })),
      ...selected.map((requirement) => ({
        scope: textField(requirement, 'scopeName'),
        operator: textField(requirement, 'operator'),
        values: Array.isArray(requirement.values) ? requirement.values.map(String) : [],
      })),
    ],
  };
}

/** Whether a class of this name meets the requirement; `undefined`: it has none. */
export function meetsRequirement(
  { operator, values }: ScopeRequirement,
  name: string | undefined,
): boolean {
  switch (operator) {
    case 'In':
      return name !== undefined && values.includes(name);
    case 'NotIn':
      return name === undefined || !values.includes(name);
    case 'Exists':
      return name !== undefined;
    case 'DoesNotExist':
      return name === undefined;
    default:
      return false;
  }
}
