import type { JsonObject } from '@fnlet/base';
import type { ApiContext } from '../api-context.ts';
import { inTurns } from '../object/in-turns.ts';
import { collectionPrefix } from '../object/object-keys.ts';
import type { Evaluator } from './evaluator.ts';
import { kindsCounted } from './evaluators.ts';
import type { Quota } from './quota.ts';
import { usageUnder } from './quota-usage.ts';
import { addUsage, countOf, type Usage, zero } from './usage.ts';

/** What is used of everything that a quota wants counted, as of one moment. */
export interface CountedUsage {
  readonly used: Usage;
  /** When it will be less without a change; `undefined`: never. */
  readonly changesAtMs: number | undefined;
}

/**
 * Counts what the objects of a namespace use. A kind that is not served has none; of a kind that is
 * in no namespace, and of one that no quota counts, nothing is told.
 */
export async function countUsage(
  { store, catalog, clock }: Pick<ApiContext, 'store' | 'catalog' | 'clock'>,
  namespace: string,
  quota: Quota,
): Promise<CountedUsage> {
  const names = [...quota.wanted.keys()];
  const now = clock.now();
  const kinds = kindsCounted(names).flatMap(({ group, plural, evaluator }) => {
    const strategy = catalog.findStored(group, plural)?.strategy;
    if (strategy?.type.namespaced === false) return [];
    const prefix = strategy && collectionPrefix(strategy, namespace);
    // All states are of this moment, however long it takes to read them.
    const isRead = prefix !== undefined && evaluator.usageOf !== undefined;
    const objects = isRead ? store.scan(prefix) : [];
    const count = prefix === undefined || quota.scopes.length > 0 ? 0 : store.count(prefix);
    return [{ evaluator, objects, count }];
  });
  let used: Usage = new Map();
  let changesAtMs: number | undefined;
  for (const { evaluator, objects, count } of kinds) {
    const counted = names.filter(evaluator.counts);
    used = addUsage(used, new Map(counted.map((name) => [name, zero])));
    if (evaluator.usageOf === undefined) {
      used = addUsage(used, new Map(counted.map((name) => [name, countOf(count)])));
    }
    for await (const { value } of inTurns(objects)) {
      used = addUsage(used, usageUnder(quota, evaluator, { object: value, now }));
      changesAtMs = earlier(changesAtMs, nextEnd(evaluator, value, now));
    }
  }
  return { used, changesAtMs };
}

function nextEnd(evaluator: Evaluator, object: JsonObject, now: number): number | undefined {
  const end = evaluator.endsAtMs?.(object);
  return end === undefined || end < now ? undefined : end;
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
