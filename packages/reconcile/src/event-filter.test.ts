import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CacheEvent } from '@fnlet/client';
import type { KubeObject, ObjectMeta } from '@fnlet/machinery';
import {
  and,
  annotationsChanged,
  cel,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
} from '@fnlet/sdk/operator';
import fc from 'fast-check';
import { compilePredicate } from './event-filter.ts';

function site(metadata: Partial<ObjectMeta> = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'WebSite',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
    spec,
  };
}

function update(old: KubeObject, object: KubeObject): CacheEvent<KubeObject> {
  return { kind: 'updated', old, object };
}

function passes(
  predicate: Predicate,
  event: CacheEvent<KubeObject>,
  errors: string[] = [],
): boolean {
  return compilePredicate(predicate, { onError: (message) => errors.push(message) })(event);
}

test('each word lets its own change pass and holds back the others', () => {
  const changes: readonly [Predicate, Partial<ObjectMeta>][] = [
    [generationChanged, { generation: 2 }],
    [labelsChanged, { labels: { a: 'b' } }],
    [annotationsChanged, { annotations: { a: 'b' } }],
    [resourceVersionChanged, { resourceVersion: '2' }],
  ];
  for (const [predicate] of changes) {
    for (const [owner, metadata] of changes) {
      const event = update(site(), site(metadata));
      assert.equal(
        passes(predicate, event),
        owner === predicate,
        `${JSON.stringify([predicate, owner])}`,
      );
    }
  }
});

test('an object without generation passes every update', () => {
  const { generation: _, ...metadata } = site().metadata;
  const event = update({ ...site(), metadata }, { ...site(), metadata });
  assert.equal(passes(generationChanged, event), true);
  assert.equal(passes(not(generationChanged), event), true);
  assert.equal(passes(and(generationChanged, labelsChanged), event), false);
});

test('filters judge updates only: what appears or goes passes, negated or not', () => {
  for (const kind of ['added', 'deleted'] as const) {
    const event = { kind, object: site() };
    const changed = cel('object.spec.x != oldObject.spec.x');
    for (const predicate of [generationChanged, labelsChanged, changed]) {
      assert.equal(passes(predicate, event), true);
      assert.equal(passes(not(predicate), event), true);
    }
  }
});

test('a mark for deletion, a finalizer, a pause and another object of the name always pass', () => {
  const never = or();
  assert.equal(passes(never, update(site(), site({ resourceVersion: '2' }))), false);
  const marked = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  for (const metadata of [
    marked,
    { finalizers: ['example.dev/own'] },
    { annotations: { 'fnlet.dev/paused': 'true' } },
    { uid: 'other' },
  ]) {
    assert.equal(passes(never, update(site(), site(metadata))), true, JSON.stringify(metadata));
  }
  assert.equal(passes(never, update(site(marked), site(marked))), false, 'marked before');
});

test('with a finalizer of its own, those of others are no news', () => {
  const filter = compilePredicate(generationChanged, { onError() {}, finalizer: 'own' });
  assert.equal(filter(update(site(), site({ finalizers: ['foreign'] }))), false);
  assert.equal(filter(update(site(), site({ finalizers: ['foreign', 'own'] }))), true);
});

test('an expression compares the object with its old state', () => {
  const predicate = cel`object.spec.replicas != oldObject.spec.replicas`;
  const event = (before: number, after: number): CacheEvent<KubeObject> =>
    update(site({}, { replicas: before }), site({}, { replicas: after }));
  assert.equal(passes(predicate, event(1, 1)), false);
  assert.equal(passes(predicate, event(1, 2)), true);
});

test('an expression without oldObject selects what appears and goes as well', () => {
  const predicate = cel('object.spec.tier == "web"');
  const [web, db] = [site({}, { tier: 'web' }), site({}, { tier: 'db' })];
  for (const kind of ['added', 'deleted'] as const) {
    assert.equal(passes(predicate, { kind, object: web }), true);
    assert.equal(passes(predicate, { kind, object: db }), false);
  }
  assert.equal(passes(predicate, update(db, db)), false);
  assert.equal(passes(predicate, update(db, web)), true);
});

test('an object that leaves the selection passes once', () => {
  const [web, db] = [site({}, { tier: 'web' }), site({}, { tier: 'db' })];
  assert.equal(passes(cel('object.spec.tier == "web"'), update(web, db)), true);
  assert.equal(
    passes(and(generationChanged, cel('object.spec.tier == "web"')), update(web, db)),
    true,
  );
});

test('an expression that fails lets the event pass and is reported, once per trouble', () => {
  const errors: string[] = [];
  const predicate = cel('object.spec.absent == 1');
  const filter = compilePredicate(predicate, { onError: (message) => errors.push(message) });
  const event = { kind: 'added', object: site() } as const;
  assert.equal(filter(event), true);
  assert.equal(filter(event), true);
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /object\.spec\.absent == 1": no such key: absent/);
  assert.equal(passes(not(predicate), event), true);
  assert.equal(passes(cel('object.metadata.name'), event, errors), true);
  assert.match(errors[1] ?? '', /expected a bool/);
  const endless = [...'abcdefghijk'].reduce(
    (inner, name) => `[1, 2, 3].all(${name}, ${inner})`,
    'object.metadata.name == "a"',
  );
  assert.equal(passes(cel(endless), event, errors), true);
  assert.match(errors[2] ?? '', /cost limit exceeded/);
});

test('what is no predicate is refused with what was found', () => {
  const nested = Array.from({ length: 20 }).reduce((of: unknown) => ({ type: 'not', of }), 'x');
  for (const [value, text] of [
    ['generation', /found "generation", expected a type among generation, labels/],
    [{ type: 'and', of: [{}] }, /found \{\}/],
    [{ type: 'or', of: 'labels' }, /found \{"type":"or"/],
    [undefined, /found nothing/],
    [cel('object.spec. == 1'), /"object.spec. == 1": ERROR: <input>:1:14/],
    [cel('1 + 1'), /found an expression of type int/],
    [cel('self.spec'), /undeclared reference to 'self'/],
    [nested, /at most 16/],
  ] as const) {
    assert.throws(() => compilePredicate(value, { onError() {} }), {
      code: 'InvalidPredicate',
      message: text,
    });
  }
});

const leafArbitrary: fc.Arbitrary<Predicate> = fc.constantFrom<Predicate>(
  generationChanged,
  labelsChanged,
  cel('object.spec.x == 1'),
  cel('object.spec.x != oldObject.spec.x'),
);
const metadataArbitrary = fc.record({
  generation: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
  labels: fc.constantFrom({}, { a: 'b' }),
});
const objectArbitrary = fc
  .tuple(metadataArbitrary, fc.constantFrom({}, { x: 1 }, { x: 2 }))
  .map(([{ generation, labels }, spec]) => {
    const { generation: _, ...rest } = site().metadata;
    const metadata =
      generation === undefined ? { ...rest, labels } : { ...rest, labels, generation };
    return { ...site(), metadata, spec };
  });

test('and, or and not keep the laws of logic, whatever is missing', () => {
  const property = fc.property(
    leafArbitrary,
    leafArbitrary,
    objectArbitrary,
    objectArbitrary,
    (a, b, old, object) => {
      for (const event of [update(old, object), { kind: 'added', object } as const]) {
        assert.equal(passes(not(not(a)), event), passes(a, event), 'twice not');
        assert.equal(passes(not(and(a, b)), event), passes(or(not(a), not(b)), event), 'De Morgan');
        assert.equal(passes(and(a, b), event), passes(and(b, a), event), 'order');
        assert.equal(passes(or(a, a), event), passes(a, event), 'twice the same');
        if (event.kind === 'updated') continue;
        assert.equal(passes(or(a, b), event), passes(a, event) || passes(b, event), 'either');
      }
    },
  );
  fc.assert(property, { numRuns: 200 });
});
