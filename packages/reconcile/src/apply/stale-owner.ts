import type { JsonObject } from '@fnlet/base';
import {
  differenceOf,
  equalFieldSets,
  isEmptyFieldSet,
  type KubeObject,
  toFieldsV1,
} from '@fnlet/machinery';
import { type Applier, entryOf, type OwnedFieldsReader } from './owned-fields.ts';

/**
 * The JSON patch that takes what an applier owns from owners who are nobody any more; `undefined`
 * when there are none: the applier's own writes of old by other ways than apply, and
 * `before-first-apply`, to which the server gives all of an object whose managedFields were lost.
 * What they keep, a later apply could never remove (client-go, csaupgrade; kubernetes#136919).
 */
export function planStaleOwners(
  live: KubeObject,
  { applier, reader }: { readonly applier: Applier; readonly reader: OwnedFieldsReader },
): readonly JsonObject[] | undefined {
  const { managedFields = [], resourceVersion } = live.metadata;
  const mine = entryOf(live, applier);
  const own = mine === undefined ? undefined : reader.ofEntry(mine);
  if (own === undefined) return undefined;
  let isStale = false;
  const entries = managedFields.flatMap((entry) => {
    const isNobody = entry.manager === 'before-first-apply' || entry.manager === applier.manager;
    if (entry.operation !== 'Update' || !isNobody || entry.subresource !== undefined)
      return [entry];
    const fields = reader.ofEntry(entry);
    if (fields === undefined) return [entry];
    const rest = differenceOf(fields, own);
    if (equalFieldSets(rest, fields)) return [entry];
    isStale = true;
    return isEmptyFieldSet(rest) ? [] : [{ ...entry, fieldsV1: toFieldsV1(rest) }];
  });
  if (!isStale) return undefined;
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: entries },
  ];
}
