import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, jsonEqual } from '@fnlet/base';
import { extractItems } from '../src/apply/extract-items.ts';
import type { FieldActor, FieldOwner } from '../src/apply/field-owner.ts';
import { emptyFieldSet, leavesOf, parseFieldSet, toFieldsV1 } from '../src/apply/field-set.ts';
import { mergeValues } from '../src/apply/merge-values.ts';
import { applyConfig, type Dispute, recordUpdate } from '../src/apply/ownership.ts';
import { validateValue } from '../src/apply/validate-value.ts';
import type { Convert, VersionedValue } from '../src/apply/versioned-value.ts';
import type { FieldType } from '../src/field-type.ts';
import { PassTable } from './pass-table.ts';
import { convertVector } from './vector-converter.ts';
import { readVectors } from './vector-file.ts';
import { type VectorSchema, vectorFieldType } from './vector-schema.ts';

interface Conflict {
  readonly manager: string;
  readonly elements: readonly string[];
}

interface Operation {
  readonly op: 'Apply' | 'ForceApply' | 'Update' | 'ExtractApply' | 'ChangeSchema';
  readonly manager?: string;
  readonly apiVersion?: string;
  readonly object?: unknown;
  readonly schema?: string;
  readonly acceptedVersions?: readonly string[];
  readonly after: {
    readonly object: unknown;
    readonly managed: Readonly<Record<string, ManagedSet>>;
    readonly error?: { readonly conflicts?: readonly Conflict[]; readonly message?: string };
  };
}

interface ManagedSet {
  readonly apiVersion: string;
  readonly applied: boolean;
  readonly set: unknown;
}

interface ApplyCase {
  readonly name: string;
  readonly parser: {
    readonly schema: string;
    readonly type: string | { readonly sameAsVersion: true };
  };
  readonly converter: string;
  readonly ignoredFields?: Readonly<Record<string, unknown>>;
  readonly ignoreFilter?: Readonly<Record<string, { readonly set: unknown }>>;
  readonly operations: readonly Operation[];
}

interface Vectors {
  readonly schemas: Readonly<Record<string, VectorSchema>>;
  readonly cases: readonly ApplyCase[];
}

function isVectors(value: unknown): value is Vectors {
  return isJsonObject(value) && Array.isArray(value.cases);
}

/** The object of a case and who owns it, as the operations go by. */
class Replay {
  readonly #schemas: Vectors['schemas'];
  readonly #case: ApplyCase;
  #schema: string;
  #accepted: readonly string[] = [];
  #live: { readonly value: unknown; readonly apiVersion: string } | undefined;
  #owners: ReadonlyMap<string, FieldOwner> = new Map();

  constructor(schemas: Vectors['schemas'], entry: ApplyCase) {
    this.#schemas = schemas;
    this.#case = entry;
    this.#schema = entry.parser.schema;
  }

  /** What is wrong with the outcome of an operation; undefined when it is as recorded. */
  step(operation: Operation): string | undefined {
    this.#accepted = operation.acceptedVersions ?? this.#accepted;
    const { error } = operation.after;
    const outcome = this.#run(operation);
    if (error?.conflicts !== undefined) {
      const expected = conflictKeys(error.conflicts);
      return jsonEqual(outcome, expected) ? undefined : `conflicts ${JSON.stringify(outcome)}`;
    }
    if (error !== undefined) return outcome === 'invalid' ? undefined : 'no error';
    if (outcome !== undefined) return `${JSON.stringify(outcome)}`;
    return this.#compare(operation);
  }

  #compare({ after }: Operation): string | undefined {
    const found = this.#live?.value ?? null;
    if (!jsonEqual(found, after.object)) return `object ${JSON.stringify(found)}`;
    const managed = Object.fromEntries(
      [...this.#owners].map(([name, { apiVersion, operation, fields }]) => [
        name,
        { apiVersion, applied: operation === 'Apply', set: toFieldsV1(fields) },
      ]),
    );
    const expected = Object.fromEntries(
      Object.entries(after.managed).map(([name, { apiVersion, applied, set }]) => [
        name,
        { apiVersion, applied, set: toFieldsV1(parseFieldSet(set)) },
      ]),
    );
    return jsonEqual(managed, expected) ? undefined : `managed ${JSON.stringify(managed)}`;
  }

  #typeAt(version: string): FieldType {
    const { type } = this.#case.parser;
    const schema = this.#schemas[this.#schema];
    assert.ok(schema);
    return vectorFieldType(schema, typeof type === 'string' ? type : version);
  }

  readonly #convert: Convert = ({ value, apiVersion: from }, version) => {
    const to = { from, version, accepted: this.#accepted };
    const converted = convertVector(this.#case.converter, value, to);
    return converted === undefined ? undefined : { value: converted, type: this.#typeAt(version) };
  };

  #liveAt(apiVersion: string): VersionedValue {
    const type = this.#typeAt(apiVersion);
    if (this.#live === undefined) return { value: {}, type, apiVersion };
    if (this.#live.apiVersion === apiVersion) return { ...this.#live, type };
    const converted = this.#convert({ ...this.#live, type }, apiVersion);
    // Objects are stored in a form that every version knows.
    return { value: this.#live.value, type, ...converted, apiVersion };
  }

  #run(step: Operation): readonly string[] | 'invalid' | undefined {
    if (step.op === 'ChangeSchema') {
      this.#schema = step.schema ?? '';
      const live = this.#liveAt(this.#live?.apiVersion ?? 'v1');
      return validateValue(live).length > 0 ? 'invalid' : undefined;
    }
    const { apiVersion = '', manager = '', object } = step;
    const live = this.#liveAt(apiVersion);
    const config: VersionedValue = { value: object, type: live.type, apiVersion };
    const invalid = validateValue(config).filter(
      (problem) => step.op !== 'Update' || !problem.includes('duplicate entries'),
    );
    if (invalid.length > 0) return 'invalid';
    if (step.op === 'Update') {
      const actor = { manager, operation: 'Update', apiVersion } as const;
      this.#owners = recordUpdate(live, config, this.#context(actor)).owners;
      this.#live = config;
      return undefined;
    }
    const own = this.#owners.get(manager)?.fields ?? emptyFieldSet;
    const extracted = extractItems(live, leavesOf(own));
    const wanted =
      step.op === 'ExtractApply'
        ? { ...config, value: mergeValues({ ...live, value: extracted ?? {} }, config) }
        : config;
    return this.#apply(live, wanted, { manager, force: step.op !== 'Apply' });
  }

  #apply(
    live: VersionedValue,
    config: VersionedValue,
    { manager, force }: { readonly manager: string; readonly force: boolean },
  ): readonly string[] | undefined {
    const actor = { manager, operation: 'Apply', apiVersion: config.apiVersion } as const;
    const outcome = applyConfig(live, config, { ...this.#context(actor), force });
    if (outcome.kind === 'conflicts') return disputeKeys(outcome.disputes);
    this.#owners = outcome.owners;
    this.#live = outcome.isChanged ? { value: outcome.value, apiVersion: live.apiVersion } : live;
    return undefined;
  }

  // The recorded cases know managers by name alone.
  #context(actor: FieldActor) {
    const { ignoredFields, ignoreFilter } = this.#case;
    return {
      actor,
      key: actor.manager,
      owners: this.#owners,
      convert: this.#convert,
      resetFields: (version: string) =>
        parseFieldSet(ignoredFields?.[version] ?? ignoreFilter?.[version]?.set ?? {}),
    };
  }
}

function disputeKeys(disputes: readonly Dispute[]): readonly string[] {
  return disputes
    .flatMap(({ owner, fields }) =>
      pathKeys(toFieldsV1(fields)).map((path) => `${owner.manager} ${path}`),
    )
    .sort();
}

function conflictKeys(conflicts: readonly Conflict[]): readonly string[] {
  return conflicts.map(({ manager, elements }) => `${manager} ${elements.join(' ')}`).sort();
}

function pathKeys(fieldsV1: unknown): readonly string[] {
  return Object.entries(isJsonObject(fieldsV1) ? fieldsV1 : {}).flatMap(([key, below]) => {
    if (key === '.') return [];
    const inside = pathKeys(below).map((path) => `${key} ${path}`);
    const isMember = !isJsonObject(below) || inside.length === 0 || Object.hasOwn(below, '.');
    return isMember ? [key, ...inside] : inside;
  });
}

const vectors = readVectors('kubernetes/server-side-apply.json');

test('recorded operations of structured-merge-diff on owned objects', (context) => {
  if (!isVectors(vectors)) {
    context.skip('the recorded cases are not beside the repository');
    return;
  }
  const table = new PassTable();
  const failures: string[] = [];
  for (const entry of vectors.cases) {
    const failure = replay(vectors.schemas, entry);
    const [group = ''] = entry.name.split('/');
    table.count(group, failure === undefined ? 'passed' : 'failed');
    if (failure !== undefined) failures.push(`${entry.name}: ${failure}`);
  }
  table.print(context);
  assert.deepEqual(failures, []);
});

function replay(schemas: Vectors['schemas'], entry: ApplyCase): string | undefined {
  const state = new Replay(schemas, entry);
  for (const [index, operation] of entry.operations.entries()) {
    const failure = state.step(operation);
    if (failure !== undefined) return `operation ${index}: ${failure}`;
    if (operation.after.error?.message !== undefined) return undefined;
  }
  return undefined;
}
