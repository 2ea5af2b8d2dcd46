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
  readonly fields: FieldSet;
}

/**
 * A projection for caches: of managedFields, often half of an object, only what `manager` applied
 * stays. With it the first pass after a start needs no write to learn what is there.
 *
 * @example
 * createCache({ …, keepManagedFields: true, project: keepOwnManagedFields('sites') })
 */
export function keepOwnManagedFields(manager: string): <T extends KubeObject>(object: T) => T {
  return (object) => {
    const { managedFields, ...metadata } = object.metadata;
    if (managedFields === undefined) return object;
    const own = managedFields.filter(
      (entry) => entry.manager === manager && entry.operation === 'Apply',
    );
    return { ...object, metadata: { ...metadata, managedFields: own } };
  };
}

/**
 * Reads from managedFields who owns what.
 *
 * I1. Equal field sets are one object, parsed once: ten thousand Deployments of one operator have
 *     a handful of them. The latest `fieldSetsMax` are kept.
 */
export class OwnedFieldsReader {
  readonly #sets = new RecentMap<FieldSet>(fieldSetsMax);

  /** What the applier owns; `undefined` when the object does not tell, or it owns nothing. */
  ofApplier(object: KubeObject, { manager, subresource = '' }: Applier): OwnedFields | undefined {
    const entry = object.metadata.managedFields?.find(
      (entry) =>
        entry.operation === 'Apply' &&
        entry.manager === manager &&
        (entry.subresource ?? '') === subresource,
    );
    const fields = entry === undefined ? undefined : this.ofEntry(entry);
    if (entry === undefined || fields === undefined || isEmptyFieldSet(fields)) return undefined;
    return { apiVersion: entry.apiVersion, fields };
  }

  /** The fields of one entry; `undefined` when they cannot be read. */
  ofEntry({ fieldsV1 }: ManagedFieldsEntry): FieldSet | undefined {
    const text = JSON.stringify(fieldsV1 ?? {});
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
