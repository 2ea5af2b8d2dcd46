import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import fc from 'fast-check';
import type { ChildAction } from './child-action.ts';
import type { DesiredChildren } from './desired-child.ts';
import { OwnedFieldsReader } from './owned-fields.ts';
import { withOwner } from './ownership.ts';
import { planChildren } from './plan-children.ts';

const primary: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name: 'web', namespace: 'default', uid: 'u1', generation: 1 },
};
const other = { ...primary, metadata: { ...primary.metadata, name: 'other', uid: 'u2' } };
const type = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

function map(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
}

function plan(
  desired: DesiredChildren | undefined,
  observed: readonly KubeObject[],
): readonly ChildAction[] {
  return planChildren({
    primary,
    desired,
    observed,
    typeOf: () => type,
    recall: () => undefined,
    applier: { manager: 'sites' },
    reader: new OwnedFieldsReader(),
    nowMs: 0,
  });
}

/** What may be in the cluster under a name. */
const fates = ['absent', 'ours', 'by-hand', 'foreign', 'free', 'going', 'unseen'] as const;
type Fate = (typeof fates)[number];

function observe(name: string, fate: Fate): KubeObject[] {
  const fieldsV1 = { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u1"}': {} } } };
  const entry = { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 } as const;
  const live = (object: KubeObject, manager: string, more: object = {}): KubeObject[] => {
    const managedFields = [{ ...entry, manager }];
    const metadata = { ...object.metadata, uid: `uid-${name}`, managedFields, ...more };
    return [{ ...object, metadata }];
  };
  const mine = withOwner(map(name), primary, 'reference');
  switch (fate) {
    case 'absent':
      return [];
    case 'ours':
      return live(mine, 'sites');
    case 'by-hand':
      return live(mine, 'kubectl');
    case 'foreign':
      return live(withOwner(map(name), other, 'reference'), 'sites');
    case 'free':
      return live(map(name), 'kubectl');
    case 'going':
      return live(mine, 'sites', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    case 'unseen':
      return live(mine, 'sites', { managedFields: undefined });
  }
}

const names = ['a', 'b', 'c', 'd', 'e'];
const worlds = fc.tuple(...names.map(() => fc.constantFrom(...fates)));
const wishes = fc.shuffledSubarray(names);

const observed = (world: readonly Fate[]): KubeObject[] =>
  world.flatMap((fate, index) => observe(names[index] ?? '', fate));

const wantedActions: Readonly<Record<Fate, string>> = {
  absent: 'create',
  ours: 'skip Same',
  'by-hand': 'apply',
  foreign: 'blocked',
  free: 'adopt',
  going: 'wait',
  unseen: 'apply',
};
const unwantedActions: Readonly<Record<Fate, string | undefined>> = {
  absent: undefined,
  ours: 'prune',
  'by-hand': 'skip NotApplied',
  foreign: undefined,
  free: undefined,
  going: 'wait',
  unseen: 'prune',
};

function textOf(action: ChildAction): string {
  return action.kind === 'skip' ? `skip ${action.reason}` : action.kind;
}

test('every child gets the one action that its wish and its fate ask for', () => {
  fc.assert(
    fc.property(wishes, worlds, (wish, world) => {
      const actions = plan(wish.map(map), observed(world));
      const byName = new Map(actions.map((action) => [action.child.name, textOf(action)]));
      assert.equal(byName.size, actions.length);
      names.forEach((name, index) => {
        const fate = world[index] ?? 'absent';
        const expected = wish.includes(name) ? wantedActions[fate] : unwantedActions[fate];
        assert.equal(byName.get(name), expected, `${name} ${fate}`);
      });
    }),
  );
});

test('the plan does not depend on the order in which children were read', () => {
  fc.assert(
    fc.property(wishes, worlds, (wish, world) => {
      const there = observed(world);
      assert.deepEqual(plan(wish.map(map), there), plan(wish.map(map), there.toReversed()));
    }),
  );
});

test('absent is not empty: nothing is decided where nothing was said', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      assert.deepEqual(plan(undefined, observed(world)), []);
      assert.ok(plan([], observed(world)).every(({ kind }) => kind !== 'create'));
    }),
  );
});

test('what has no name keeps everything from being deleted', () => {
  const nameless: KubeObject = JSON.parse('{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}');
  fc.assert(
    fc.property(wishes, worlds, (wish, world) => {
      const actions = plan([...wish.map(map), nameless], observed(world));
      assert.ok(actions.every(({ kind }) => kind !== 'prune'));
    }),
  );
});

test('a child waits for one that is blocked, and for one that is going', () => {
  for (const fate of ['foreign', 'going', 'absent'] as const) {
    const actions = plan([map('a'), [map('b')]], observe('a', fate));
    assert.equal(actions.at(-1)?.kind, 'wait', fate);
  }
});
