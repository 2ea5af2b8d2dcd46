import {
  differenceOf,
  emptyFieldSet,
  type FieldSet,
  formatPath,
  intersectionOf,
  isEmptyFieldSet,
  type KubeObject,
  pathsOf,
} from '@fnlet/machinery';
import { rivalFieldsMax } from './limits.ts';
import type { Applier, OwnedFieldsReader } from './owned-fields.ts';

/** Who took fields that an applier wants, as managedFields tells. */
export interface Rival {
  readonly manager: string;
  /** When it last took a field, RFC 3339. */
  readonly time: string | undefined;
  /** Contested fields, such as `.spec.replicas`; the first few. */
  readonly fields: readonly string[];
}

/**
 * The manager that now owns what `owned` had: the newest of them. `undefined` when nobody does;
 * then an admission webhook rewrites the fields, or the applier itself wants something else.
 */
export function findRival(
  live: KubeObject,
  owned: FieldSet,
  { applier, reader }: { readonly applier: Applier; readonly reader: OwnedFieldsReader },
): Rival | undefined {
  const own = reader.ofApplier(live, applier)?.fields ?? emptyFieldSet;
  const contested = differenceOf(owned, own);
  const takers = (live.metadata.managedFields ?? []).flatMap((entry) => {
    const taken = intersectionOf(reader.ofEntry(entry) ?? emptyFieldSet, contested);
    return isEmptyFieldSet(taken) ? [] : [{ entry, taken }];
  });
  const newest = takers.toSorted((a, b) => timeOf(b.entry) - timeOf(a.entry)).at(0);
  if (newest === undefined) return undefined;
  const { manager, time } = newest.entry;
  const fields = [...pathsOf(newest.taken)].slice(0, rivalFieldsMax).map(formatPath);
  return { manager, time, fields };
}

function timeOf({ time = '' }: { readonly time?: string }): number {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? 0 : ms;
}
