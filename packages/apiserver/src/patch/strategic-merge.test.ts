import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { canonicalJson, isJsonObject, type JsonObject } from '@fnlet/base';
import { objectField, textField } from '../object/object-form.ts';
import { applyStrategicMerge, type StrategicType } from './strategic-merge.ts';

function readVectors(): JsonObject | undefined {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    try {
      const path = join(at, '..', 'shared/vectors/kubernetes/strategic-merge-patch.json');
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {}
  }
  return undefined;
}

/** The recorded types by name; an item type holds itself. */
function readTypes(recorded: JsonObject): ReadonlyMap<string, StrategicType> {
  const fieldsOf = new Map(Object.keys(recorded).map((name) => [name, {}]));
  const types = new Map([...fieldsOf].map(([name, fields]) => [name, { fields }]));
  for (const [name, fields] of fieldsOf) {
    for (const [field, facts] of Object.entries(
      objectField(objectField(recorded, name), 'fields'),
    )) {
      if (!isJsonObject(facts)) continue;
      const strategy = Array.isArray(facts.patchStrategy) ? facts.patchStrategy.map(String) : [];
      const mergeKey = textField(facts, 'patchMergeKey');
      const own = types.get(textField(facts, 'type').split(' ')[0] ?? '');
      // One field holds an item in some cases and a list of them in others.
      const items = types.get(textField(facts, 'items')) ?? own;
      Object.assign(fields, {
        [field]: {
          ...own,
          ...(items === undefined ? {} : { items }),
          strategy,
          ...(mergeKey === '' ? {} : { mergeKey }),
        },
      });
    }
  }
  return types;
}

/**
 * What becomes of a recorded case: patches are applied here, and made by kubectl, whose patches
 * must do here what they were made for.
 */
function outcomeOf(item: JsonObject, type: StrategicType): string {
  const { op, error } = item;
  const [original, modified, current, patch, result] = [
    objectField(item, 'original'),
    objectField(item, 'modified'),
    objectField(item, 'current'),
    objectField(item, 'patch'),
    objectField(item, 'result'),
  ];
  const name = `${String(item.name)}: ${JSON.stringify(item)}`;
  if ([original, patch].some((value) => '$invalid' in value)) return 'no JSON, refused earlier';
  switch (op) {
    case 'applyPatch':
      if (error !== undefined)
        assert.throws(() => applyStrategicMerge(original, patch, type), name);
      else assert.deepEqual(applyStrategicMerge(original, patch, type), result, name);
      return 'patches that are applied as recorded';
    case 'createTwoWayPatch': {
      if (error !== undefined) return 'patches that kubectl refuses to make';
      const patched = applyStrategicMerge(original, result, type);
      assert.deepEqual(inAnyOrder(patched), inAnyOrder(modified), name);
      return 'patches of kubectl that lead where it wants';
    }
    case 'createThreeWayPatch': {
      if (error !== undefined) return 'patches that kubectl refuses to make';
      const once = applyStrategicMerge(current, result, type);
      const twice = applyStrategicMerge(once, result, type);
      assert.deepEqual(inAnyOrder(twice), inAnyOrder(once), name);
      return 'patches of kubectl that do the same twice as once';
    }
    default:
      assert.equal(op, 'sortMergeLists', name);
      return 'aids of the recorded tests';
  }
}

// The order of a merged list is nothing that a patch without `$setElementOrder` can tell.
function inAnyOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const texts = value.map((item: unknown) => canonicalJson(inAnyOrder(item)));
    return texts.sort();
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, inAnyOrder(item)]));
}

describe('applyStrategicMerge()', () => {
  it('gives what Kubernetes recorded', (t) => {
    const vectors = readVectors();
    if (vectors === undefined) return t.skip('the shared vectors are not there');
    const cases = Array.isArray(vectors.cases) ? vectors.cases.filter(isJsonObject) : [];
    const types = readTypes(objectField(vectors, 'types'));
    const outcomes = cases.map((item) => outcomeOf(item, types.get(textField(item, 'type')) ?? {}));
    for (const [outcome, { length }] of Map.groupBy(outcomes, (text) => text)) {
      t.diagnostic(`${length} ${outcome}`);
    }
  });

  it('puts new items before those that are there, unless it is told their order', () => {
    const type = { fields: { list: { strategy: ['merge'], mergeKey: 'name' } } };
    const list = [{ name: 'a' }, { name: 'b' }];
    const patch = { list: [{ name: 'c' }] };
    const order = { '$setElementOrder/list': [{ name: 'a' }, { name: 'c' }, { name: 'b' }] };
    const names = (added: JsonObject): unknown => {
      const merged = applyStrategicMerge({ list }, added, type).list;
      return Array.isArray(merged) ? merged.map(({ name }) => name).join('') : merged;
    };
    assert.equal(names(patch), 'cab');
    assert.equal(names({ ...patch, ...order }), 'acb');
  });

  it('does not change its arguments', () => {
    const original = Object.freeze({ a: Object.freeze([1]), b: Object.freeze({ c: 1 }) });
    const patch = Object.freeze({ b: Object.freeze({ c: null, d: 2 }) });
    assert.deepEqual(applyStrategicMerge(original, patch, {}), { a: [1], b: { d: 2 } });
  });

  it('refuses an item without its merge key', () => {
    const type = { fields: { list: { strategy: ['merge'], mergeKey: 'name' } } };
    assert.throws(() => applyStrategicMerge({ list: [] }, { list: [{ x: 1 }] }, type), {
      message: /does not contain declared merge key: name/,
    });
  });

  it('looks at the items of a long list a few times each', () => {
    let reads = 0;
    const counted = (n: number): JsonObject => ({
      get name(): string {
        reads++;
        return `n${n}`;
      },
    });
    const type = { fields: { list: { strategy: ['merge'], mergeKey: 'name' } } };
    const count = 2000;
    const items = Array.from({ length: count }, (_, n) => n);
    const list = items.map(counted);
    const patch = {
      list: items.map((n) => ({ name: `n${2 * n}` })),
      '$setElementOrder/list': items.map((n) => ({ name: `n${2 * n}` })),
    };
    const merged = applyStrategicMerge({ list }, patch, type).list;
    assert.equal(Array.isArray(merged) && merged.length, 1.5 * count);
    assert.ok(reads < 20 * count, `${reads} reads of ${count} items`);
  });
});
