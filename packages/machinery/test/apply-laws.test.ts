import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, isJsonObject, jsonEqual } from '@fnlet/base';
import fc from 'fast-check';
import {
  differenceOf,
  equalFieldSets,
  isEmptyFieldSet,
  parseFieldSet,
} from '../src/apply/field-set.ts';
import { fieldsOf } from '../src/apply/fields-of.ts';
import { applyServerSide } from '../src/apply/server-side-apply.ts';
import { type FieldType, type KubeObject, trackUpdate } from '../src/index.ts';
import { extractApplied } from './extract-applied.ts';

/*
 * Laws of server-side apply (KEP-555) over random configurations of one type that has everything:
 * declared fields, free maps, sets, keyed lists with a default, atomic lists, schemaless parts.
 */

const scalar: FieldType = { kind: 'scalar' };
const listOf = (relationship: 'atomic' | 'set'): FieldType => ({
  kind: 'list',
  relationship,
  element: scalar,
  keys: [],
  keyDefaults: {},
});
const mapOf = (fields: Record<string, FieldType>, element?: FieldType): FieldType => ({
  kind: 'map',
  relationship: 'granular',
  fields,
  ...(element === undefined ? {} : { element }),
});

const type = mapOf({
  apiVersion: scalar,
  kind: scalar,
  metadata: mapOf({}, { kind: 'deduced' }),
  spec: mapOf({
    size: scalar,
    args: listOf('atomic'),
    tags: listOf('set'),
    opts: mapOf({}, scalar),
    free: { kind: 'deduced' },
    ports: {
      kind: 'list',
      relationship: 'map',
      keys: ['port', 'protocol'],
      keyDefaults: { protocol: 'TCP' },
      element: mapOf({ port: scalar, protocol: scalar, note: scalar }),
    },
  }),
});

const small = fc.constantFrom('a', 'b', 'c');
const port = fc.record(
  { port: fc.constantFrom(1, 2, 3), protocol: fc.constantFrom('TCP', 'UDP'), note: small },
  { requiredKeys: ['port'] },
);
const filled = { minLength: 1, maxLength: 3 };
const spec = fc.record(
  {
    size: fc.integer({ min: 0, max: 2 }),
    args: fc.array(small, filled),
    tags: fc.uniqueArray(small, filled),
    opts: fc.dictionary(small, small, { minKeys: 1 }),
    free: fc.dictionary(small, fc.dictionary(small, small, { minKeys: 1 }), { minKeys: 1 }),
    ports: fc.uniqueArray(port, {
      ...filled,
      selector: (item) => `${item.port}/${item.protocol ?? 'TCP'}`,
    }),
  },
  { requiredKeys: [] },
);
const config = spec.map(
  (wanted): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    // A manager that wants nothing says nothing.
    ...(Object.keys(wanted).length === 0 ? {} : { spec: wanted }),
  }),
);

const now = '2026-01-01T00:00:00Z';

function apply(
  live: KubeObject | undefined,
  wanted: KubeObject,
  { manager, force }: { readonly manager: string; readonly force: boolean },
): KubeObject | undefined {
  const result = applyServerSide({ live, config: wanted, manager, force, type, now });
  return result.kind === 'applied' ? result.object : undefined;
}

/** A live object that two other managers have worked on. */
const live = fc.tuple(config, config, config).map(([one, two, three]) => {
  const first = apply(undefined, one, { manager: 'first', force: true });
  const second = apply(first, two, { manager: 'second', force: true });
  assert.ok(second);
  const after = { ...second, spec: { ...Object(second.spec), ...Object(three.spec) } };
  return trackUpdate({ before: second, after, manager: 'updater', type, now });
});

function holds(object: KubeObject, wanted: KubeObject, manager: string): void {
  const found = extractApplied(object, { manager, type });
  assert.ok(jsonEqual(sorted(found ?? bare(wanted)), sorted(wanted)), JSON.stringify(found));
}

function bare({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}

// Sets and keyed lists keep the live order, and items the key that they got by default.
function sorted(value: KubeObject): unknown {
  const { spec: wanted } = value;
  if (!isJsonObject(wanted)) return value;
  const itemsOf = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
  const tags = itemsOf(wanted.tags).sort();
  const ports = itemsOf(wanted.ports)
    .map((item) => canonicalJson({ protocol: 'TCP', ...Object(item) }))
    .sort();
  return { ...value, spec: { ...wanted, tags, ports } };
}

test('a forced apply is owned and found again as it was applied', () => {
  fc.assert(
    fc.property(live, config, (before, wanted) => {
      const after = apply(before, wanted, { manager: 'me', force: true });
      assert.ok(after);
      holds(after, wanted, 'me');
    }),
  );
});

test('an apply repeated changes nothing', () => {
  fc.assert(
    fc.property(live, config, (before, wanted) => {
      const after = apply(before, wanted, { manager: 'me', force: true });
      assert.equal(apply(after, wanted, { manager: 'me', force: false }), after);
    }),
  );
});

test('two managers never lose each other fields', () => {
  fc.assert(
    fc.property(live, config, config, config, (before, mine, others, mineLater) => {
      const first = apply(before, mine, { manager: 'me', force: true });
      const second = apply(first, others, { manager: 'other', force: false });
      // A conflict loses nothing: the object stays as it is.
      if (first === undefined || second === undefined) return;
      holds(second, mine, 'me');
      holds(second, others, 'other');
      const third = apply(second, mineLater, { manager: 'me', force: false });
      if (third === undefined) return;
      holds(third, others, 'other');
      holds(third, mineLater, 'me');
    }),
  );
});

test('who applies nothing any more leaves nothing behind that was only theirs', () => {
  fc.assert(
    fc.property(config, config, (mine, others) => {
      const first = apply(undefined, others, { manager: 'other', force: false });
      const second = apply(first, mine, { manager: 'me', force: false });
      if (second === undefined) return;
      const third = apply(second, bare(mine), { manager: 'me', force: false });
      assert.ok(third);
      const value = { value: { spec: third.spec }, type };
      const expected = { value: { spec: others.spec }, type };
      assert.ok(equalFieldSets(fieldsOf(value), fieldsOf(expected)), JSON.stringify(third));
    }),
  );
});

test('whatever an applier owns is there', () => {
  fc.assert(
    fc.property(live, config, (before, wanted) => {
      const after = apply(before, wanted, { manager: 'me', force: true });
      assert.ok(after);
      const present = fieldsOf({ value: after, type });
      for (const { operation, fieldsV1 } of after.metadata.managedFields ?? []) {
        if (operation !== 'Apply') continue;
        assert.ok(isEmptyFieldSet(differenceOf(parseFieldSet(fieldsV1), present)));
      }
    }),
  );
});
