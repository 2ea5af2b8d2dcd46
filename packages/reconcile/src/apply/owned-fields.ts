import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  type FieldSet,
  isEmptyFieldSet,
  type KubeObject,
  type ManagedFieldsEntry,
  parseFieldSet,
} from '@fnlet/machinery';
import { fieldSetsMax } from './limits.ts';
import { RecentMap } from './recent-map.ts';

/** Whose fields, and through which way of writing: the object itself, or a subresource of it. */
export interface Applier {
  readonly manager: string;
  readonly subresource?: string | undefined;
}

/** What an applier owns of an object, in a version of its API. */
export interface OwnedFields {
  readonly apiVersion: string;
  /** All but the owner references. */
  readonly fields: FieldSet;
  /** The uids in the owner references that it applied. */
  readonly ownerUids: readonly string[];
}

/**
 * Reads from managedFields who owns what.
 *
 * I1. Equal field sets are one object, parsed once: ten thousand Deployments of one operator have
 *     a handful of them. The latest `fieldSetsMax` are kept.
 * I2. Owner references are kept apart: their paths name uids, so that no two sets would be equal.
 */
export class OwnedFieldsReader {
  readonly #sets = new RecentMap<FieldSet>(fieldSetsMax);

  /** What the applier owns; `undefined` when the object does not tell, or it owns nothing. */
  ofApplier(object: KubeObject, applier: Applier): OwnedFields | undefined {
    const entry = entryOf(object, applier);
    if (entry === undefined) return undefined;
    const { rest, ownerUids } = splitOwners(entry.fieldsV1 ?? {});
    const fields = this.#parse(rest);
    if (fields === undefined) return undefined;
    if (isEmptyFieldSet(fields) && ownerUids.length === 0) return undefined;
    return { apiVersion: entry.apiVersion, fields, ownerUids };
  }

  /** The fields of one entry; `undefined` when they cannot be read. */
  ofEntry({ fieldsV1 }: ManagedFieldsEntry): FieldSet | undefined {
    return this.#parse(fieldsV1 ?? {});
  }

  #parse(fieldsV1: JsonObject): FieldSet | undefined {
    const text = JSON.stringify(fieldsV1);
    const known = this.#sets.get(text);
    if (known !== undefined) return known;
    try {
      const parsed = parseFieldSet(JSON.parse(text));
      this.#sets.set(text, parsed);
      return parsed;
    } catch {
      // An entry that a foreign tool broke: whose fields they are is then unknown.
      return undefined;
    }
  }
}

/** What managedFields say that the applier owns. */
export function entryOf(
  { metadata }: KubeObject,
  { manager, subresource = '' }: Applier,
): ManagedFieldsEntry | undefined {
  return metadata.managedFields?.find(
    (entry) =>
      entry.operation === 'Apply' &&
      entry.manager === manager &&
      (entry.subresource ?? '') === subresource,
  );
}

/** A fieldsV1 document without owner references, and the uids in them. */
function splitOwners(fieldsV1: JsonObject): {
  readonly rest: JsonObject;
  readonly ownerUids: readonly string[];
} {
  const { 'f:metadata': metadata, ...others } = fieldsV1;
  if (!isJsonObject(metadata)) return { rest: fieldsV1, ownerUids: [] };
  const { 'f:ownerReferences': references, ...rest } = metadata;
  if (!isJsonObject(references)) return { rest: fieldsV1, ownerUids: [] };
  const ownerUids = Object.keys(references).flatMap(
    (key) => /^k:\{"uid":"([^"]+)"\}$/.exec(key)?.slice(1) ?? [],
  );
  const isRest = Object.keys(rest).length > 0;
  return { rest: isRest ? { ...others, 'f:metadata': rest } : others, ownerUids };
}
