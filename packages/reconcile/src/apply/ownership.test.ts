import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { foreignOwner, isOwnedBy, ownerMarkFor, toPrimary, withOwner } from './ownership.ts';

function site(uid: string, namespace?: string): KubeObject {
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name: 'web', uid, ...place } };
}

const child: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'b', labels: { own: '1' } },
};

test('a reference works in one namespace and from the whole cluster, a label everywhere', () => {
  assert.equal(ownerMarkFor(site('u', 'a'), 'a'), 'reference');
  assert.equal(ownerMarkFor(site('u'), 'a'), 'reference');
  assert.equal(ownerMarkFor(site('u'), ''), 'reference');
  assert.equal(ownerMarkFor(site('u', 'a'), 'b'), 'label');
  assert.equal(ownerMarkFor(site('u', 'a'), ''), 'label');
});

for (const mark of ['reference', 'label'] as const) {
  test(`a child with a ${mark} is known as its primary's, and leads back to it`, () => {
    const primary = site('u1', 'a');
    const owned = withOwner(child, primary, mark);
    assert.equal(owned.metadata.labels?.own, '1');
    assert.ok(isOwnedBy(owned, primary));
    assert.ok(!isOwnedBy(owned, site('u2', 'a')));
    const map = toPrimary({ group: 'example.com', kind: 'Site' });
    const namespace = mark === 'label' ? 'a' : 'b';
    assert.deepEqual(map(owned), [{ namespace, name: 'web' }]);
    assert.deepEqual(toPrimary({ group: 'other.com', kind: 'Site' })(owned), []);
    assert.deepEqual(map(child), []);
    assert.equal(foreignOwner(owned, primary), undefined);
  });
}

test('a reference is set once, beside those that the child has', () => {
  const primary = site('u1', 'a');
  const other = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u9' };
  const metadata = { ...child.metadata, ownerReferences: [other] };
  const twice = withOwner(
    withOwner({ ...child, metadata }, primary, 'reference'),
    primary,
    'reference',
  );
  assert.deepEqual(twice.metadata.ownerReferences, [
    other,
    {
      apiVersion: 'example.com/v1',
      kind: 'Site',
      name: 'web',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
});

test('another controller owns, an owner that does not control does not', () => {
  const owned = withOwner(child, site('u1', 'a'), 'reference');
  assert.equal(foreignOwner(owned, site('u2', 'a')), 'Site "web" (uid u1)');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u9' }];
  const shared = { ...child, metadata: { ...child.metadata, ownerReferences } };
  assert.equal(foreignOwner(shared, site('u2', 'a')), undefined);
});

test('the label of another primary owns, that of an earlier one of the same name does not', () => {
  const primary = site('u1', 'a');
  const owned = withOwner(child, primary, 'label');
  assert.equal(foreignOwner(owned, site('u2', 'a')), undefined);
  assert.equal(foreignOwner(owned, site('u2', 'c')), '"example.com/Site/a/web" (uid u1)');
  assert.ok(!isOwnedBy(owned, site('u2', 'a')));
});
