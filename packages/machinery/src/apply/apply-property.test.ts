import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import fc from 'fast-check';
import { extractApplied } from '../../test/extract-applied.ts';
import type { FieldType } from '../field-type.ts';
import type { KubeObject } from '../object.ts';
import { applyServerSide } from './server-side-apply.ts';

const type: FieldType = { kind: 'deduced' };

// Fields that are objects in one configuration and plain values in another are part of the game.
const { value } = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom('x', 'y', 1, true), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, minKeys: 1 }),
}));
const spec = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });

function config(fields: JsonObject): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec: fields };
}

/** The object after an apply; `undefined` when another manager owns what would change. */
function apply(
  live: KubeObject | undefined,
  fields: JsonObject,
  by: { manager: string; force: boolean },
): KubeObject | undefined {
  const now = '2026-01-01T00:00:00Z';
  const result = applyServerSide({ live, config: config(fields), type, now, ...by });
  return result.kind === 'conflicts' ? undefined : result.object;
}

function specOf(object: KubeObject | undefined): JsonObject {
  return isJsonObject(object?.spec) ? object.spec : {};
}

/** Whether every plain value of `part` stands at the same place in `whole`. */
function contains(whole: unknown, part: unknown): boolean {
  if (!isJsonObject(part)) return whole === part;
  return (
    isJsonObject(whole) && Object.entries(part).every(([key, item]) => contains(whole[key], item))
  );
}

describe('applyServerSide(), for any two managers', () => {
  it('never loses the fields of one to an apply of the other that was not forced', () => {
    fc.assert(
      fc.property(spec, fc.array(fc.tuple(fc.boolean(), spec)), (first, later) => {
        let live = apply(undefined, first, { manager: 'one', force: false });
        const wanted = new Map([['one', first]]);
        for (const [isOne, fields] of later) {
          const manager = isOne ? 'one' : 'two';
          const next = apply(live, fields, { manager, force: false });
          if (next === undefined) continue;
          live = next;
          wanted.set(manager, fields);
          for (const [name, own] of wanted) assert.ok(contains(specOf(live), own), name);
        }
      }),
    );
  });

  it('gives with force what was asked for, and takes it from the other by name', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = apply(undefined, first, { manager: 'one', force: false });
        const taken = apply(live, second, { manager: 'two', force: true });
        assert.ok(contains(specOf(taken), second));
      }),
    );
  });

  it('is undone, field by field, by an apply of nothing', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = apply(undefined, first, { manager: 'one', force: false });
        const both = apply(live, second, { manager: 'two', force: false });
        fc.pre(both !== undefined);
        const left = apply(both, {}, { manager: 'two', force: false });
        assert.ok(contains(specOf(left), first));
        assert.ok(contains(first, specOf(left)), 'nothing of the other is left');
      }),
    );
  });
});

describe('extractApplied()', () => {
  it('gives back what a manager has applied, whoever else applies', () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = apply(undefined, first, { manager: 'one', force: false });
        const both = apply(live, second, { manager: 'two', force: false }) ?? live;
        assert.ok(both !== undefined);
        const extracted = extractApplied(both, { manager: 'one', type });
        assert.ok(contains(specOf(extracted), first));
        assert.ok(contains(first, specOf(extracted)));
      }),
    );
  });
});
