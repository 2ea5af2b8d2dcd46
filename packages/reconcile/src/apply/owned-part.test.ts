import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFieldSet } from '@fnlet/machinery';
import { intentOf, isAsApplied, ownedPart } from './owned-part.ts';

const fields = parseFieldSet({
  'f:metadata': { 'f:annotations': {} },
  'f:spec': {
    'f:replicas': {},
    'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
    'f:tags': { 'v:"a"': {} },
  },
});

const live = {
  metadata: { uid: 'u', annotations: { foreign: '1' } },
  spec: {
    replicas: 1,
    paused: true,
    ports: [
      { port: 443, protocol: 'TCP' },
      { port: 80, protocol: 'TCP', targetPort: 80 },
    ],
    tags: ['a', 'b'],
  },
};

const intent = {
  metadata: { annotations: {} },
  spec: { replicas: 1, ports: [{ port: 80 }], tags: ['a'] },
};

test('the owned part has the items and fields that are owned, and nothing beside them', () => {
  assert.deepEqual(ownedPart(live, fields, intent), {
    metadata: { annotations: {} },
    spec: { replicas: 1, ports: [{ port: 80 }], tags: ['a'] },
  });
});

test('a map that was applied with content is owned as a whole', () => {
  const owner = parseFieldSet({ 'f:selector': {} });
  const whole = { selector: { app: 'a', tier: 'b' } };
  assert.deepEqual(ownedPart(whole, owner, { selector: { app: 'a' } }), whole);
});

test('an apply of what is owned already would change nothing', () => {
  assert.ok(isAsApplied(intent, fields, { live }));
});

test('a default that the server filled into a key is no difference', () => {
  const spelled = { ...intent, spec: { ...intent.spec, ports: [{ port: 80, protocol: 'TCP' }] } };
  assert.ok(!isAsApplied(spelled, fields, { live }), 'protocol itself is not owned');
});

const otherWishes = {
  'another value': { ...intent, spec: { ...intent.spec, replicas: 2 } },
  'a field more': { ...intent, spec: { ...intent.spec, paused: true } },
  'a field less': { ...intent, spec: { replicas: 1, ports: [{ port: 80 }] } },
  'an item more': { ...intent, spec: { ...intent.spec, tags: ['a', 'b'] } },
  'another item': { ...intent, spec: { ...intent.spec, ports: [{ port: 81 }] } },
  'a map less': { spec: intent.spec },
  'a list for a map': { ...intent, spec: [] },
};

for (const [what, wish] of Object.entries(otherWishes)) {
  test(`an apply of ${what} has to be sent`, () => {
    assert.ok(!isAsApplied(wish, fields, { live }));
  });
}

test('items in another order have to be sent', () => {
  const set = parseFieldSet({ 'f:tags': { 'v:"a"': {}, 'v:"b"': {} } });
  assert.ok(isAsApplied({ tags: ['a', 'b'] }, set, { live: { tags: ['a', 'x', 'b'] } }));
  assert.ok(!isAsApplied({ tags: ['b', 'a'] }, set, { live: { tags: ['a', 'b'] } }));
});

test('empty lists and null that a server drops are no difference', () => {
  const set = parseFieldSet({ 'f:a': {} });
  const wish = { a: '1', subjects: [], note: null };
  assert.ok(isAsApplied(wish, set, { live: { a: '1' } }));
  assert.ok(!isAsApplied(wish, set, { live: { a: '1', subjects: [{}] } }));
});

test('a key named __proto__ is an ordinary field', () => {
  const set = parseFieldSet(JSON.parse('{"f:data":{"f:__proto__":{}}}'));
  const data: unknown = JSON.parse('{"data":{"__proto__":"x"}}');
  assert.equal(JSON.stringify(ownedPart(data, set, data)), '{"data":{"__proto__":"x"}}');
  assert.ok(isAsApplied(data, set, { live: data }));
});

test('what names an object is not part of the intent', () => {
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'b', uid: 'c', labels: { d: 'e' } },
    data: {},
  };
  assert.deepEqual(intentOf(manifest), { metadata: { labels: { d: 'e' } }, data: {} });
  const { labels: _, ...bare } = manifest.metadata;
  assert.deepEqual(intentOf({ ...manifest, metadata: bare }), { data: {} });
});
