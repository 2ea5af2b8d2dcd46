import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, jsonEqual } from '@fnlet/base';
import { compareValues } from '../src/apply/compare-values.ts';
import { extractItems, withKeyFields } from '../src/apply/extract-items.ts';
import { equalFieldSets, type FieldSet, parseFieldSet } from '../src/apply/field-set.ts';
import { fieldsOf } from '../src/apply/fields-of.ts';
import { mergeValues } from '../src/apply/merge-values.ts';
import { reconcileFieldSet } from '../src/apply/reconcile-field-set.ts';
import { removeItems } from '../src/apply/remove-items.ts';
import { validateValue } from '../src/apply/validate-value.ts';
import type { FieldType } from '../src/field-type.ts';
import { PassTable } from './pass-table.ts';
import { readVectors } from './vector-file.ts';
import { InexpressibleSchema, type VectorSchema, vectorFieldType } from './vector-schema.ts';

interface TypedCase {
  readonly op: string;
  readonly schema: string;
  readonly type: string;
  readonly object?: unknown;
  readonly lhs?: unknown;
  readonly rhs?: unknown;
  readonly items?: unknown;
  readonly set?: unknown;
  readonly added?: unknown;
  readonly modified?: unknown;
  readonly removed?: unknown;
  readonly result?: unknown;
  readonly error?: string | null;
  readonly allowDuplicates?: boolean;
  readonly appendKeyFields?: boolean;
  readonly unchanged?: boolean;
}

interface Vectors {
  readonly schemas: Readonly<Record<string, VectorSchema>>;
  readonly typed: readonly TypedCase[];
}

function isVectors(value: unknown): value is Vectors {
  return isJsonObject(value) && Array.isArray(value.typed);
}

const operations: Readonly<Record<string, (entry: TypedCase, type: FieldType) => boolean>> = {
  validate({ object, allowDuplicates, error }, type) {
    const problems = validateValue({ value: object, type });
    // A live object may hold duplicates; who validates one looks past them.
    const counted = problems.filter(
      (problem) => allowDuplicates !== true || !problem.includes('duplicate entries'),
    );
    return counted.length > 0 === (typeof error === 'string');
  },
  toFieldSet({ object, set }, type) {
    return isSet(fieldsOf({ value: object, type }), set);
  },
  compare({ lhs, rhs, added, modified, removed }, type) {
    const found = compareValues({ value: lhs, type }, { value: rhs, type });
    return (
      isSet(found.added, added) && isSet(found.modified, modified) && isSet(found.removed, removed)
    );
  },
  merge({ lhs, rhs, result }, type) {
    return jsonEqual(mergeValues({ value: lhs, type }, { value: rhs, type }), result);
  },
  removeItems({ object, items, result }, type) {
    return jsonEqual(removeItems({ value: object, type }, parseFieldSet(items)), result);
  },
  extractItems({ object, items, appendKeyFields, result }, type) {
    const value = { value: object, type };
    const asked = parseFieldSet(items);
    const all = appendKeyFields === true ? withKeyFields(value, asked) : asked;
    return jsonEqual(extractItems(value, all), result);
  },
  reconcileFieldSetWithSchema({ object, set, result, unchanged }, type) {
    const before = parseFieldSet(set);
    const after = reconcileFieldSet(before, { value: object, type });
    return unchanged === true ? after === before : isSet(after, result);
  },
};

function isSet(found: FieldSet, expected: unknown): boolean {
  return equalFieldSets(found, parseFieldSet(expected ?? {}));
}

/** Why a case is knowingly different, or undefined when it must pass. */
function knownDifference({ op, error }: TypedCase): string | undefined {
  if (op !== 'validate' || typeof error !== 'string') return undefined;
  return error.includes('schema error') ? 'a FieldType cannot be broken' : undefined;
}

const vectors = readVectors('kubernetes/server-side-apply.json');

test('recorded operations of structured-merge-diff on typed values', (context) => {
  if (!isVectors(vectors)) {
    context.skip('the recorded cases are not beside the repository');
    return;
  }
  const table = new PassTable();
  const failures: TypedCase[] = [];
  for (const entry of vectors.typed) {
    const outcome = run(entry, vectors.schemas);
    table.count(entry.op, outcome);
    if (outcome === 'failed') failures.push(entry);
  }
  table.print(context);
  assert.deepEqual(failures, []);
});

function run(
  entry: TypedCase,
  schemas: Readonly<Record<string, VectorSchema>>,
): 'passed' | 'failed' | 'skipped' {
  const schema = schemas[entry.schema];
  const operation = operations[entry.op];
  if (schema === undefined || operation === undefined) return 'failed';
  if (knownDifference(entry) !== undefined) return 'skipped';
  try {
    return operation(entry, vectorFieldType(schema, entry.type)) ? 'passed' : 'failed';
  } catch (error) {
    // "a deduced type whose lists are sets": no Kubernetes schema has one.
    if (error instanceof InexpressibleSchema) return 'skipped';
    throw error;
  }
}
