import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { DesiredChildren } from './desired-child.ts';
import { orderOf, readDesired, type WantedChildren } from './wanted-child.ts';

const primary: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
};

function typeOf(apiVersion: string, kind: string): ResourceType | undefined {
  if (kind === 'Unknown') return undefined;
  const [group = '', version = ''] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['', apiVersion];
  return { group, version, kind, plural: `${kind}s`, namespaced: kind !== 'Namespace' };
}

function map(name: string, namespace?: string, kind = 'ConfigMap'): KubeObject {
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion: 'v1', kind, metadata: { name, ...place } };
}

function read(desired: DesiredChildren, finalizers: readonly string[] = []): WantedChildren {
  const metadata = { ...primary.metadata, finalizers };
  return readDesired(desired, {
    primary: { ...primary, metadata },
    typeOf,
    finalizer: 'example.com/sites',
  });
}

function problems(desired: DesiredChildren, finalizers: readonly string[] = []): string[] {
  return read(desired, finalizers).faulty.map(({ key, problem }) => `${problem} ${key}`);
}

const names = ({ wanted }: WantedChildren): string[] => wanted.map(({ child }) => child.name);

test('a child lives in the namespace of its primary unless it says otherwise', () => {
  const [child] = read([map('a')]).wanted;
  assert.equal(child?.manifest.metadata.namespace, 'default');
  assert.equal(child?.manifest.metadata.ownerReferences?.[0]?.uid, 'u1');
});

test('each wish that cannot be fulfilled is told by its reason, the others stay', () => {
  const nameless: KubeObject = JSON.parse('{"apiVersion":"v1","kind":"ConfigMap","metadata":{}}');
  const self = { ...primary, apiVersion: 'example.com/v2' };
  const desired = [
    map('a'),
    map('b'),
    map('b', 'default'),
    nameless,
    self,
    map('c', '', 'Unknown'),
  ];
  const { wanted, faulty } = read(desired);
  assert.deepEqual(
    wanted.map(({ child }) => child.name),
    ['a'],
  );
  assert.deepEqual(faulty.map(({ problem }) => problem).sort(), [
    'Duplicate',
    'MissingName',
    'SameAsPrimary',
    'UnknownKind',
  ]);
  for (const { message } of faulty) assert.match(message, /^Cannot apply .*: found .*, expected /);
});

test('a child that no owner reference reaches needs the finalizer of the operator', () => {
  const far = [map('a', 'other'), map('ns', undefined, 'Namespace')];
  assert.deepEqual(problems(far), ['OutOfReach ConfigMap "other/a"', 'OutOfReach Namespace "ns"']);
  const { wanted, faulty } = read(far, ['example.com/sites']);
  assert.deepEqual(faulty, []);
  for (const { manifest } of wanted) {
    assert.equal(manifest.metadata.ownerReferences, undefined);
    assert.equal(manifest.metadata.labels?.['fnlet.dev/owner-uid'], 'u1');
  }
});

test('children come in the order of their steps, and know theirs', () => {
  const first = map('first');
  const second = { object: map('second'), after: [first] };
  const third = { object: map('third'), after: [map('second')] };
  const result = read([third, map('free'), second, first]);
  assert.deepEqual(names(result), ['free', 'first', 'second', 'third']);
  assert.deepEqual(
    result.wanted.map(({ manifest }) => orderOf(manifest)),
    [0, 0, 1, 2],
  );
});

test('a stage waits for all that stands before it', () => {
  const { wanted } = read([map('a'), [map('b'), map('c')], map('free'), [map('d')]]);
  assert.deepEqual(
    wanted.map(({ child, after }) => [child.name, after.size]),
    [
      ['a', 0],
      ['free', 0],
      ['b', 1],
      ['c', 1],
      ['d', 4],
    ],
  );
});

test('a circle and a wait for nothing are told, with all that is in them', () => {
  const a = { object: map('a'), after: [map('b')] };
  const b = { object: map('b'), after: [map('a')] };
  assert.deepEqual(problems([a, b, map('c')]), [
    'CyclicOrder ConfigMap "default/a"',
    'CyclicOrder ConfigMap "default/b"',
  ]);
  const lost = { object: map('d'), after: [map('nobody')] };
  assert.deepEqual(problems([lost]), ['UnknownPredecessor ConfigMap "default/d"']);
});

test('an order that somebody broke counts as none', () => {
  const annotations = { 'fnlet.dev/order': 'x' };
  assert.equal(orderOf({ ...primary, metadata: { ...primary.metadata, annotations } }), 0);
});
