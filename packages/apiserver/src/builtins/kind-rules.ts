import type { FieldError, KubeObject } from '@fnlet/machinery';
import type { Strategy } from '../resource/strategy.ts';
import type { BuiltinKind } from './builtin-strategy.ts';
import type { Rule } from './rule.ts';

/** What is particular to a builtin kind besides the structure of its objects. */
export type KindRules = Omit<BuiltinKind, 'fields' | 'description'>;

/** Refuses an object; `old` is what it was before, when there was one. */
export type Validation = NonNullable<Strategy['validate']>;

/** What may change of an object; told where it stands. */
export type ChangeRule = (object: KubeObject, old: KubeObject) => readonly FieldError[];

/**
 * The validation of a kind: `rules` hold for the whole object whenever it is written, `changes`
 * when it is there already. What a subresource writes is not asked for more than its own part:
 * a status is its controller's business, and a spec that was accepted once must not get in its way.
 */
export function validation(rules: Rule, changes: ChangeRule = () => []): Validation {
  return (object, old, subresource) => {
    if (subresource !== undefined && subresource !== 'scale') return [];
    return [...rules(object, ''), ...(old === undefined ? [] : changes(object, old))];
  };
}
