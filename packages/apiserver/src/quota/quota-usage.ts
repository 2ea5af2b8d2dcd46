import type { JsonObject } from '@fnlet/base';
import type { Evaluator } from './evaluator.ts';
import type { Quota } from './quota.ts';
import { countOf, pickUsage, type Usage } from './usage.ts';

/** Whether a quota counts the object: it meets every scope. */
export function isInScopes({ scopes }: Quota, evaluator: Evaluator, object: JsonObject): boolean {
  return scopes.every((requirement) => evaluator.isInScope?.(object, requirement) === true);
}

/** What one object uses of these resources, whatever quota asks. */
export function usageOfObject(
  evaluator: Evaluator,
  object: JsonObject,
  { names, now }: { readonly names: readonly string[]; readonly now: number },
): Usage {
  const asked = new Set(names);
  const { usageOf } = evaluator;
  if (usageOf !== undefined) {
    return pickUsage(usageOf(object, now), (name) => asked.has(name) && evaluator.counts(name));
  }
  return new Map([...asked].filter(evaluator.counts).map((name) => [name, countOf(1)]));
}

/** What one object uses of what a quota wants counted; nothing where it is out of its scopes. */
export function usageUnder(
  quota: Quota,
  evaluator: Evaluator,
  { object, now }: { readonly object: JsonObject; readonly now: number },
): Usage {
  if (!isInScopes(quota, evaluator, object)) return new Map();
  return usageOfObject(evaluator, object, { names: [...quota.wanted.keys()], now });
}
