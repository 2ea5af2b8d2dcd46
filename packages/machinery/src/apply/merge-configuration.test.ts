import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldType } from '../field-type.ts';
import { mergeConfiguration } from './merge-configuration.ts';

const text: FieldType = { kind: 'scalar', of: 'string' };
const number: FieldType = { kind: 'scalar', of: 'numeric' };

function struct(fields: Readonly<Record<string, FieldType>>, isAtomic = false): FieldType {
  return { kind: 'map', relationship: isAtomic ? 'atomic' : 'granular', fields };
}

const type = struct({
  replicas: number,
  labels: { kind: 'map', relationship: 'granular', fields: {}, element: text },
  selector: struct({ name: text }, true),
  containers: {
    ...{ kind: 'list', relationship: 'map', keys: ['name'], keyDefaults: {} },
    element: struct({
      name: text,
      image: text,
      args: { kind: 'list', relationship: 'atomic', element: text, keys: [], keyDefaults: {} },
    }),
  },
  any: { kind: 'deduced' },
});

describe('mergeConfiguration()', () => {
  it('states fields, entries and items, and keeps the others', () => {
    const object = {
      ...{ replicas: 1, labels: { a: '1' }, selector: { name: 'x' } },
      containers: [{ name: 'a', image: 'i', args: ['-v'] }],
    };
    const configuration = {
      ...{ replicas: 2, labels: { b: '2' } },
      containers: [{ name: 'a', image: 'j' }, { name: 'b' }],
    };
    assert.deepEqual(mergeConfiguration({ object, configuration, type }), {
      ...{ replicas: 2, labels: { a: '1', b: '2' }, selector: { name: 'x' } },
      containers: [{ name: 'a', image: 'j', args: ['-v'] }, { name: 'b' }],
    });
  });

  it('returns the object itself where everything is as stated', () => {
    const object = { replicas: 1, labels: { a: '1' } };
    assert.equal(mergeConfiguration({ object, configuration: { replicas: 1 }, type }), object);
  });

  const atomic = 'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs:';
  const unfit = 'failed to convert patch object to typed object:';
  const rows = [
    [{ selector: { name: 'y' } }, `${atomic} .selector`],
    [
      { selector: {}, containers: [{ name: 'a', args: [] }] },
      `${atomic} .selector, .containers[0].args`,
    ],
    [{ any: { list: [1] } }, undefined],
    [{ any: [1] }, `${atomic} .any`],
    [{ none: 1 }, `${unfit} .none: field not declared in schema`],
    [{ replicas: 'x' }, `${unfit} .replicas: expected numeric (int or float), got string`],
    [
      { none: 1, replicas: true },
      `${unfit} errors:\n  .none: field not declared in schema\n  .replicas: expected numeric (int or float), got bool`,
    ],
    [
      { replicas: null },
      `${unfit} .replicas: expected numeric (int or float), got structpb.NullValue`,
    ],
    [{ labels: null }, `${unfit} .labels: expected map, got &{NULL_VALUE}`],
    [
      { labels: { a: null } },
      `${unfit} .labels.a: expected string, got &value.valueUnstructured{Value:0}`,
    ],
  ] as const;
  for (const [configuration, message] of rows) {
    it(`says of ${JSON.stringify(configuration)}: ${message ?? 'nothing'}`, () => {
      const merge = (): unknown => mergeConfiguration({ object: {}, configuration, type });
      if (message === undefined) assert.deepEqual(merge(), configuration);
      else assert.throws(merge, { code: 'InvalidTypedValue', message });
    });
  }
});
