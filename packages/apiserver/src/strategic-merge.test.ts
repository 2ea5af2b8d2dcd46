import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { objectField, textField } from './object-form.ts';
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

/** Cases whose error is about text that is no JSON, which is decoded before. */
function isJsonCase({ original, patch }: JsonObject): boolean {
  return ![original, patch].some((value) => isJsonObject(value) && '$invalid' in value);
}

describe('applyStrategicMerge()', () => {
  it('gives what Kubernetes recorded', (t) => {
    const vectors = readVectors();
    if (vectors === undefined) return t.skip('the shared vectors are not there');
    const cases = Array.isArray(vectors.cases) ? vectors.cases.filter(isJsonObject) : [];
    const types = readTypes(objectField(vectors, 'types'));
    let passed = 0;
    for (const item of cases.filter(({ op }) => op === 'applyPatch').filter(isJsonCase)) {
      const type = types.get(textField(item, 'type')) ?? {};
      const original = isJsonObject(item.original) ? item.original : {};
      const patch = isJsonObject(item.patch) ? item.patch : {};
      const name = `${String(item.name)}: ${JSON.stringify({ original, patch })}`;
      if (item.error !== undefined) {
        assert.throws(() => applyStrategicMerge(original, patch, type), name);
      } else {
        assert.deepEqual(applyStrategicMerge(original, patch, type), item.result, name);
      }
      passed++;
    }
    t.diagnostic(`${passed} recorded cases`);
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
});
