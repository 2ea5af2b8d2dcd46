import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
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

/** The recorded types, as trees; an item type may hold itself. */
function typeNamed(types: JsonObject, name: string, depth = 0): StrategicType {
  const type = types[name];
  if (!isJsonObject(type) || !isJsonObject(type.fields) || depth > 6) return {};
  const fields: Record<string, StrategicType> = {};
  for (const [field, facts] of Object.entries(type.fields)) {
    if (!isJsonObject(facts)) continue;
    const strategy = Array.isArray(facts.patchStrategy) ? facts.patchStrategy.map(String) : [];
    const key = facts.patchMergeKey;
    const own = typeNamed(types, String(facts.type).split(' ')[0] ?? '', depth + 1);
    const items = typeNamed(types, String(facts.items ?? ''), depth + 1);
    fields[field] = {
      ...own,
      items,
      strategy,
      ...(typeof key === 'string' ? { mergeKey: key } : {}),
    };
  }
  return { fields };
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
    const types = isJsonObject(vectors.types) ? vectors.types : {};
    let passed = 0;
    for (const item of cases.filter(({ op }) => op === 'applyPatch').filter(isJsonCase)) {
      const type = typeNamed(types, String(item.type));
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
