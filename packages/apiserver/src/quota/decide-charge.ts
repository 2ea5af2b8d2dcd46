import type { JsonObject } from '@fnlet/base';
import { compareQuantities } from '@fnlet/machinery';
import type { Evaluator } from './evaluator.ts';
import type { Quota } from './quota.ts';
import { isInScopes, usageOfObject } from './quota-usage.ts';
import { addUsage, formatUsage, growthOf, pickUsage, type Usage } from './usage.ts';

/** A write that a quota may have something to say to. */
export interface ChargedWrite {
  readonly evaluator: Evaluator;
  /** The object as it shall be. */
  readonly object: JsonObject;
  /** The object as it is; absent for a creation. */
  readonly old?: JsonObject | undefined;
  readonly subresource?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What becomes of `status.used` of a quota. */
export interface QuotaCharge {
  readonly quota: Quota;
  readonly used: Usage;
}

export type ChargeDecision =
  | { readonly kind: 'refused'; readonly text: string }
  /** The quotas whose use grows; none where the write costs nothing. */
  | { readonly kind: 'charged'; readonly charges: readonly QuotaCharge[] };

/** Whether writes of this form cost anything, under whatever quota. */
export function mayCost({ evaluator, object, old, subresource }: ChargedWrite): boolean {
  if (old === undefined) return subresource === undefined;
  return evaluator.chargesUpdate?.({ object, old, subresource }) === true;
}

/** Whether the quota bounds anything that objects of this kind use. */
export function bounds({ hard }: Quota, evaluator: Evaluator): boolean {
  return hard.keys().some(evaluator.counts);
}

/**
 * Decides whether a write fits into every quota that it concerns, and what it adds to their use
 * (apiserver, plugin/resourcequota, CheckRequest; in its words).
 */
export function decideCharge(quotas: readonly Quota[], write: ChargedWrite): ChargeDecision {
  const { evaluator, object, subresource } = write;
  if (!mayCost(write)) return { kind: 'charged', charges: [] };
  const concerned = quotas.filter(
    (quota) => bounds(quota, evaluator) && isInScopes(quota, evaluator, object),
  );
  for (const quota of concerned) {
    const text = findObstacle(quota, write);
    if (text !== undefined) return { kind: 'refused', text };
  }
  const charges: QuotaCharge[] = [];
  for (const quota of concerned) {
    const requested = costOf(quota, write);
    if (requested.size === 0) continue;
    const used = addUsage(quota.used, requested);
    // A status says what is so already.
    const text = subresource === 'status' ? undefined : findExcess(quota, requested, used);
    if (text !== undefined) return { kind: 'refused', text };
    charges.push({ quota, used });
  }
  return { kind: 'charged', charges };
}

/** Why nobody can tell whether the object fits. */
function findObstacle(quota: Quota, { evaluator, object }: ChargedWrite): string | undefined {
  const bounded = [...quota.hard.keys()].filter(evaluator.counts);
  const missing = evaluator.missing?.(object, bounded);
  if (missing !== undefined) return `failed quota: ${quota.name}: ${missing}`;
  if (bounded.every((name) => quota.used.has(name))) return undefined;
  return `status unknown for quota: ${quota.name}, resources: ${bounded.sort().join(',')}`;
}

/** What the write adds: all of the object where the quota did not count it before. */
function costOf(quota: Quota, { evaluator, object, old, now }: ChargedWrite): Usage {
  const asked = { names: [...quota.hard.keys()], now };
  const usage = usageOfObject(evaluator, object, asked);
  const isCounted = old !== undefined && isInScopes(quota, evaluator, old);
  return growthOf(usage, isCounted ? usageOfObject(evaluator, old, asked) : new Map());
}

function findExcess(quota: Quota, requested: Usage, used: Usage): string | undefined {
  const { name, hard } = quota;
  const exceeded = new Set<string>();
  for (const [resource, bound] of hard) {
    const next = requested.has(resource) ? used.get(resource) : undefined;
    if (next !== undefined && compareQuantities(next, bound) > 0) exceeded.add(resource);
  }
  if (exceeded.size === 0) return undefined;
  const tell = (usage: Usage): string =>
    formatUsage(pickUsage(usage, (resource) => exceeded.has(resource)));
  const found = `requested: ${tell(requested)}, used: ${tell(quota.used)}`;
  return `exceeded quota: ${name}, ${found}, limited: ${tell(hard)}`;
}
