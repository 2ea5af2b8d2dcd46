import type { JsonObject } from '@fnlet/base';
import type { LabelSelector } from '@fnlet/machinery';
import { aggregationPassesMax } from '../limits.ts';
import { objectField } from '../object/object-form.ts';
import { type AggregatedRole, aggregateRules, aggregationSelectors } from './aggregate-rules.ts';
import { type PolicyRule, parsePolicyRules } from './policy-rule.ts';

interface KnownRole extends AggregatedRole {
  /** Of its aggregationRule, if it has one. */
  readonly selectors: readonly LabelSelector[] | undefined;
}

/**
 * The ClusterRoles, with those that gather the rules of others as their controller will write
 * them: what a role adds to them counts from the commit of that role on.
 *
 * I1. `#gathered` is what the roles in `#known` come to, or `undefined` after a change of them. It is
 *     made when somebody asks for a role: once for each change, not for each request.
 */
export class ClusterRoles {
  readonly #known = new Map<string, KnownRole>();
  /** Of the known ones those that gather. */
  readonly #gathering = new Map<string, readonly LabelSelector[]>();
  #gathered: ReadonlyMap<string, readonly PolicyRule[]> | undefined;

  /** Takes a ClusterRole in, or out when `value` is `undefined`. */
  apply(name: string, value: JsonObject | undefined): void {
    this.#gathered = undefined;
    if (value === undefined) {
      this.#known.delete(name);
      this.#gathering.delete(name);
      return;
    }
    const labels = textsOf(objectField(objectField(value, 'metadata'), 'labels'));
    const selectors = aggregationSelectors(value);
    this.#known.set(name, { name, labels, rules: parsePolicyRules(value.rules), selectors });
    if (selectors === undefined) this.#gathering.delete(name);
    else this.#gathering.set(name, selectors);
  }

  rulesOf(name: string): readonly PolicyRule[] | undefined {
    const role = this.#known.get(name);
    if (role?.selectors === undefined) return role?.rules;
    this.#gathered ??= this.#gather();
    return this.#gathered.get(name) ?? role.rules;
  }

  /** Each pass takes rules one role further: roles gather from roles that gather. */
  #gather(): ReadonlyMap<string, readonly PolicyRule[]> {
    const gathered = new Map<string, readonly PolicyRule[]>();
    for (let pass = 0; pass < aggregationPassesMax; pass++) {
      let isSettled = true;
      for (const [name, selectors] of this.#gathering) {
        const roles = [...this.#known.values()].map((role) => {
          const rules = gathered.get(role.name);
          return rules === undefined ? role : { ...role, rules };
        });
        const rules = aggregateRules(name, selectors, roles);
        isSettled &&= isSame(rules, gathered.get(name));
        gathered.set(name, rules);
      }
      if (isSettled) break;
    }
    return gathered;
  }
}

function isSame<T>(list: readonly T[], other: readonly T[] | undefined): boolean {
  return list.length === other?.length && list.every((item, i) => item === other[i]);
}

function textsOf(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}
