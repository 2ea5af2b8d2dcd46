import type { FieldOwner, FieldOwners } from './field-owner.ts';
import {
  differenceOf,
  type FieldSet,
  intersectionOf,
  isEmptyFieldSet,
  unionOf,
  withDeclaredFields,
} from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { removeItems } from './remove-items.ts';
import { atVersion, type Convert, type VersionedValue } from './versioned-value.ts';

export interface PruneContext {
  /** What the applying manager owned before this apply. */
  readonly last: FieldOwner | undefined;
  /** All owners, the applying one with what it owns now. */
  readonly owners: FieldOwners;
  /** What the applying manager owns now. */
  readonly applied: FieldSet;
  readonly convert: Convert;
}

/**
 * `merged` without what the manager has applied the last time, applies no longer, and nobody else
 * owns. Things inside that nobody owns stay, unless what they are in goes.
 */
export function pruneValue(merged: VersionedValue, context: PruneContext): VersionedValue {
  const { last, owners, applied, convert } = context;
  if (last === undefined || isEmptyFieldSet(last.fields)) return merged;
  // Whoever still applies all that it has applied removes nothing: the common case of controllers.
  const isSameVersion = last.apiVersion === merged.apiVersion;
  if (isSameVersion && isEmptyFieldSet(differenceOf(last.fields, applied))) return merged;

  const mergedThen = atVersion(merged, last.apiVersion, convert);
  if (mergedThen === undefined) return merged;
  const lastFields = withDeclaredFields(last.fields, mergedThen.type);
  const stripped = { ...mergedThen, value: removeItems(mergedThen, lastFields) };
  const restored = restoreOwned(mergedThen, stripped, { owners, convert });

  const restoredThen = atVersion(restored, last.apiVersion, convert);
  if (restoredThen === undefined) return merged;
  const gone = differenceOf(allFieldsOf(mergedThen), allFieldsOf(restoredThen));
  const value = removeItems(mergedThen, intersectionOf(gone, lastFields));
  return atVersion({ ...mergedThen, value }, merged.apiVersion, convert) ?? merged;
}

function allFieldsOf(value: VersionedValue): FieldSet {
  return withDeclaredFields(fieldsOf(value), value.type);
}

/** Puts back what was stripped although somebody owns it, one version of the API after another. */
function restoreOwned(
  merged: VersionedValue,
  stripped: VersionedValue,
  { owners, convert }: Pick<PruneContext, 'owners' | 'convert'>,
): VersionedValue {
  let whole = merged;
  let restored = stripped;
  for (const [apiVersion, owned] of ownedByVersion(owners, merged.apiVersion)) {
    const wholeThen = atVersion(whole, apiVersion, convert);
    const restoredThen = wholeThen && atVersion(restored, apiVersion, convert);
    if (wholeThen === undefined || restoredThen === undefined) continue;
    const kept = unionOf(allFieldsOf(restoredThen), withDeclaredFields(owned, wholeThen.type));
    const unowned = differenceOf(allFieldsOf(wholeThen), kept);
    whole = wholeThen;
    restored = { ...wholeThen, value: removeItems(wholeThen, unowned) };
  }
  return restored;
}

/** `first` comes first, so that later conversions find the fields that they need. */
function ownedByVersion(owners: FieldOwners, first: string): ReadonlyMap<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  const ordered = [...owners.values()].sort(
    (a, b) => Number(b.apiVersion === first) - Number(a.apiVersion === first),
  );
  for (const { apiVersion, fields } of ordered) {
    const others = owned.get(apiVersion);
    owned.set(apiVersion, others === undefined ? fields : unionOf(others, fields));
  }
  return owned;
}
