import { jsonEqual } from '@fnlet/base';
import { runToEnd, type Steps } from '../steps.ts';
import { type Comparison, compareValues, excludeFields } from './compare-values.ts';
import type { FieldActor, FieldOwner, FieldOwners } from './field-owner.ts';
import {
  differenceOf,
  emptyFieldSet,
  exclude,
  type FieldSet,
  intersectionOf,
  isEmptyFieldSet,
  unionOf,
} from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { mergeValues } from './merge-values.ts';
import { pruneValue } from './prune-value.ts';
import { reconcileFieldSet } from './reconcile-field-set.ts';
import { atVersion, type Convert, type VersionedValue } from './versioned-value.ts';

/** Who acts, on whose fields. */
export interface OwnershipContext {
  readonly actor: FieldActor;
  /** The actor's identity among `owners`. */
  readonly key: string;
  readonly owners: FieldOwners;
  readonly convert: Convert;
  /** What nobody can own at a version, because the server resets it. */
  readonly resetFields: (apiVersion: string) => FieldSet;
}

/** A field set that stands in the way of an apply, and who owns it. */
export interface Dispute {
  readonly owner: FieldOwner;
  readonly fields: FieldSet;
}

export type ApplyOutcome =
  | {
      readonly kind: 'applied';
      readonly value: unknown;
      readonly owners: FieldOwners;
      /** Whether the value differs from the live one. */
      readonly isChanged: boolean;
    }
  | { readonly kind: 'conflicts'; readonly disputes: readonly Dispute[] };

/**
 * Merges what a manager wants into the live value and settles who owns what (KEP-555, the Apply of
 * structured-merge-diff). `config` must have been validated.
 */
export function applyConfig(
  live: VersionedValue,
  config: VersionedValue,
  context: OwnershipContext & { readonly force: boolean },
): ApplyOutcome {
  return runToEnd(applyConfigInSteps(live, config, context));
}

/** The same, step by step. */
export function* applyConfigInSteps(
  live: VersionedValue,
  config: VersionedValue,
  { force, ...context }: OwnershipContext & { readonly force: boolean },
): Steps<ApplyOutcome> {
  const { actor, key, convert, resetFields } = context;
  const owners = reconcileOwners(live, context);
  const applied = exclude(fieldsOf(config), resetFields(actor.apiVersion));
  const last = owners.get(key);
  const time = last?.time === undefined ? {} : { time: last.time };
  const withActor = new Map(owners).set(key, { ...actor, ...time, fields: applied });
  yield;
  const merged = { ...live, value: mergeValues(live, config) };
  yield;
  const pruned = pruneValue(merged, { last, owners: withActor, applied, convert });
  yield;
  const settled = settle(live, pruned, { ...context, owners: withActor });
  if (!force && settled.disputes.length > 0) {
    return { kind: 'conflicts', disputes: settled.disputes };
  }
  yield;
  return {
    kind: 'applied',
    value: pruned.value,
    owners: settled.owners,
    // The order of items is nobody's, but a change all the same.
    isChanged: !jsonEqual(pruned.value, live.value),
  };
}

/**
 * Who owns what after a write that did not apply: the actor takes what changed, everybody else
 * loses it, and what was removed belongs to nobody.
 */
export function recordUpdate(
  before: VersionedValue,
  after: VersionedValue,
  context: OwnershipContext,
): { readonly owners: FieldOwners; readonly taken: FieldSet } {
  const { actor, key } = context;
  const owners = reconcileOwners(before, context);
  const settled = settle(before, after, { ...context, owners });
  const { added, modified, removed } = settled.comparison;
  const taken = unionOf(modified, added);
  const own = settled.owners.get(key);
  const fields = unionOf(differenceOf(own?.fields ?? emptyFieldSet, removed), taken);
  const time = own?.time === undefined ? {} : { time: own.time };
  const updated = new Map(settled.owners);
  if (isEmptyFieldSet(fields)) updated.delete(key);
  else updated.set(key, { ...actor, ...time, fields });
  return { owners: updated, taken };
}

/** The owners' sets as the present types have them. */
function reconcileOwners(live: VersionedValue, { owners, convert }: OwnershipContext): FieldOwners {
  const reconciled = new Map<string, FieldOwner>();
  for (const [key, owner] of owners) {
    const then = atVersion(live, owner.apiVersion, convert);
    if (then === undefined) continue;
    const fields = reconcileFieldSet(owner.fields, then);
    reconciled.set(key, fields === owner.fields ? owner : { ...owner, fields });
  }
  return reconciled;
}

interface Settlement {
  readonly comparison: Comparison;
  readonly owners: FieldOwners;
  readonly disputes: readonly Dispute[];
}

/** Takes from everybody but the actor what changed between the two values. */
function settle(
  before: VersionedValue,
  after: VersionedValue,
  context: OwnershipContext,
): Settlement {
  const changes = compareValues(before, after);
  const comparison = excludeFields(changes, context.resetFields(before.apiVersion));
  const compareAt = comparisons(before, after, { ...context, comparison });
  const owners = new Map<string, FieldOwner>();
  const disputes: Dispute[] = [];
  for (const [key, owner] of context.owners) {
    let { fields } = owner;
    if (key !== context.key) {
      const found = compareAt(owner.apiVersion);
      // Owners at a version that no longer exists own nothing that could be found again.
      if (found === undefined) continue;
      const disputed = intersectionOf(fields, unionOf(found.modified, found.added));
      if (!isEmptyFieldSet(disputed)) disputes.push({ owner, fields: disputed });
      fields = differenceOf(differenceOf(fields, disputed), found.removed);
    }
    if (isEmptyFieldSet(fields)) continue;
    owners.set(key, fields === owner.fields ? owner : { ...owner, fields });
  }
  return { comparison, owners, disputes };
}

/** What changed, as seen at a version; each version is compared once. */
function comparisons(
  before: VersionedValue,
  after: VersionedValue,
  { convert, resetFields, comparison }: OwnershipContext & Pick<Settlement, 'comparison'>,
): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>([[before.apiVersion, comparison]]);
  return (apiVersion) => {
    if (known.has(apiVersion)) return known.get(apiVersion);
    const left = atVersion(before, apiVersion, convert);
    const right = left && atVersion(after, apiVersion, convert);
    const found = left && right && compareValues(left, right);
    const counted = found && excludeFields(found, resetFields(apiVersion));
    known.set(apiVersion, counted);
    return counted;
  };
}
