import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorCrd, operatorType, parseOperator } from './operator.ts';

const spec = {
  for: { apiVersion: 'example.dev/v1', kind: 'WebSite' },
  reconcile: { function: 'sites' },
  concurrency: 10,
  deadline: '10s',
  resync: '10h',
};

function operatorWith(change: object): unknown {
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Operator',
    metadata: { name: 'sites', namespace: 'default' },
    spec: { ...spec, ...change },
  };
}

test('parseOperator() gives the object back, typed', () => {
  const value = operatorWith({ when: { or: [{ changes: 'labels' }, { not: { cel: 'true' } }] } });
  const parsed = parseOperator(value);
  assert.equal(parsed, value);
  assert.equal(parsed.spec.for.kind, 'WebSite');
  assert.deepEqual(parsed.spec.when?.or?.[0], { changes: 'labels' });
});

test('parseOperator() refuses objects that did not pass their schema', () => {
  const wrong: readonly [object, RegExp][] = [
    [{ concurrency: '10' }, /spec\.concurrency: expected integer, found "10"/],
    [{ for: { kind: 'WebSite' } }, /spec\.for\.apiVersion: expected string, found nothing/],
    [{ when: { changes: 'spec' } }, /spec\.when\.changes: expected one of generation, labels/],
    [{ owns: [{ apiVersion: 'v1' }] }, /spec\.owns\[0\]\.kind: expected string, found nothing/],
  ];
  for (const [change, message] of wrong) {
    assert.throws(() => parseOperator(operatorWith(change)), { code: 'UnexpectedShape', message });
  }
});

test('the manifest names what clients address', () => {
  assert.equal(operatorCrd.metadata.name, 'operators.fnlet.dev');
  assert.deepEqual(operatorCrd.spec.names.shortNames, ['op']);
  assert.equal(operatorType.plural, operatorCrd.spec.names.plural);
});
