import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { checkStructural, compileSchema } from '../src/index.ts';

// Answers recorded from apiextensions-apiserver 0.36; the texts must be the same to the letter.

function findVectors(): string | undefined {
  let folder = import.meta.dirname;
  while (folder !== dirname(folder)) {
    const path = join(folder, '../shared/vectors/kubernetes/golden-0.36.json');
    if (existsSync(path)) return path;
    folder = dirname(folder);
  }
  return undefined;
}

const path = findVectors();
const skip = path === undefined ? 'no ../shared/vectors beside the repository' : false;

type Exchange = {
  readonly id: string;
  readonly request: JsonObject;
  readonly response: JsonObject;
};

function isExchange(value: unknown): value is Exchange {
  return isJsonObject(value) && typeof value.id === 'string' && isJsonObject(value.request);
}

function collect(value: unknown): Exchange[] {
  if (Array.isArray(value)) return value.flatMap(collect);
  if (!isJsonObject(value)) return [];
  const inside = Object.values(value).flatMap(collect);
  return isExchange(value) ? [value, ...inside] : inside;
}

const exchanges: readonly Exchange[] =
  path === undefined ? [] : collect(JSON.parse(readFileSync(path, 'utf8')));

function exchange(id: string): Exchange {
  const found = exchanges.find((one) => one.id === id);
  assert.ok(found, `no exchange ${id}`);
  return found;
}

function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner) && typeof key === 'number') return inner[key];
    return isJsonObject(inner) ? inner[key] : undefined;
  }, value);
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

function schemaOf(id: string): JsonSchema {
  const versions = at(exchange(id).request, 'body', 'spec', 'versions');
  const schema = at(versions, 0, 'schema', 'openAPIV3Schema');
  assert.ok(isSchema(schema));
  return schema;
}

type Cause = { reason: string; message: string; field: string };

function isCause(value: unknown): value is Cause {
  return isJsonObject(value) && typeof value.field === 'string';
}

function causesOf(id: string): readonly Cause[] {
  const causes = at(exchange(id).response, 'body', 'details', 'causes');
  assert.ok(Array.isArray(causes));
  return causes.filter(isCause);
}

function sameErrors(errors: readonly FieldError[], causes: readonly Cause[]): void {
  const order = (list: readonly (FieldError | Cause)[]): unknown[] =>
    list
      .map(({ reason, field, message }) => ({ reason, field, message }))
      .sort((a, b) => (a.field + a.message < b.field + b.message ? -1 : 1));
  assert.deepEqual(order(errors), order(causes));
}

describe('the recorded answers for Widgets', { skip }, () => {
  const widget =
    path === undefined
      ? undefined
      : compileSchema(schemaOf('crd-lifecycle/create'), { root: 'resource' });

  function process(body: unknown): { value: unknown; unknownFields: readonly string[] } {
    assert.ok(widget);
    const { value, unknownFields } = widget.prune(body);
    return { value: widget.applyDefaults(value), unknownFields };
  }

  for (const id of [
    'cr-crud/invalid: several field errors',
    'cr-crud/invalid: wrong types',
    'cr-crud/invalid: missing required spec',
    'cr-crud/invalid: missing list map key',
  ]) {
    it(`validate() says what was recorded for ${id}`, () => {
      const { value } = process(exchange(id).request.body);
      sameErrors(widget?.validate(value) ?? [], causesOf(id));
    });
  }

  it('prune() names the unknown fields that a warning was recorded for', () => {
    const { value, unknownFields } = process(
      exchange('cr-crud/create with defaults; status ignored; unknown pruned').request.body,
    );
    assert.deepEqual(unknownFields, ['spec.zz']);
    const recorded = exchange('cr-crud/create with defaults; status ignored; unknown pruned');
    assert.deepEqual(at(value, 'spec'), at(recorded.response, 'body', 'spec'));
    const wrong = process(exchange('cr-crud/invalid: wrong types').request.body);
    assert.deepEqual(wrong.unknownFields, ['spec.amount.a']);
  });

  it('applyDefaults() gives the recorded spec for nulls', () => {
    const recorded = exchange('cr-crud/nullable and null default');
    const { value } = process(recorded.request.body);
    assert.deepEqual(at(value, 'spec'), at(recorded.response, 'body', 'spec'));
  });
});

describe('the recorded answers for Gears', { skip }, () => {
  const gear =
    path === undefined
      ? undefined
      : compileSchema(schemaOf('cr-0.36-features/create'), { root: 'resource' });
  const g1 = { min: 1, max: 10, color: 'red', fixed: 'x', legacy: 'L' };
  const object = (spec: unknown): unknown => ({
    apiVersion: 'example.com/v1',
    kind: 'Gear',
    metadata: { name: 'g1' },
    spec,
  });

  it('validate() says what was recorded for two broken rules', () => {
    const id = 'cr-0.36-features/CEL: two rules fail';
    sameErrors(gear?.validate(exchange(id).request.body) ?? [], causesOf(id));
  });

  it('validate() says what was recorded for a broken transition rule', () => {
    const id = 'cr-0.36-features/CEL transition rule';
    const errors = gear?.validate(object({ ...g1, fixed: 'y' }), object(g1));
    sameErrors(errors ?? [], causesOf(id));
  });

  it('validate() tolerates an unchanged wrong field and refuses a changed one', () => {
    const schema = schemaOf('cr-0.36-features/create');
    const spec = schema.properties?.spec;
    const stricter = compileSchema(
      {
        ...schema,
        properties: {
          ...schema.properties,
          spec: {
            ...spec,
            properties: { ...spec?.properties, legacy: { type: 'string', maxLength: 0 } },
          },
        },
      },
      { root: 'resource' },
    );
    assert.deepEqual(stricter.validate(object({ ...g1, max: 9 }), object(g1)), []);
    const id = 'cr-0.36-features/ratcheting: changed invalid field refused';
    sameErrors(stricter.validate(object({ ...g1, legacy: 'M' }), object(g1)), causesOf(id));
  });

  it('prune() names the unknown fields of the spec and of metadata', () => {
    const body = exchange('cr-0.36-features/fieldValidation Warn').request.body;
    assert.deepEqual(gear?.prune(body).unknownFields, ['metadata.foo', 'spec.zz']);
  });
});

describe('the recorded answers for invalid definitions', { skip }, () => {
  const place = 'spec.validation.openAPIV3Schema';

  for (const id of [
    'crd-lifecycle/invalid: non-structural schema',
    'crd-lifecycle/invalid: list map keys, default not matching, bad printer column',
    'cr-0.36-features/crd invalid CEL',
  ]) {
    it(`checkStructural() says what was recorded for ${id}`, () => {
      const causes = causesOf(id).filter(({ field }) => field.startsWith(place));
      sameErrors(checkStructural(schemaOf(id), { path: place }), causes);
    });
  }

  it('checkStructural() accepts the definitions that were accepted', () => {
    for (const id of ['crd-lifecycle/create', 'cr-0.36-features/create']) {
      assert.deepEqual(checkStructural(schemaOf(id), { path: place }), []);
    }
  });
});
