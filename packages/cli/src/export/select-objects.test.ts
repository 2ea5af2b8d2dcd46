import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { nameOf, selectObjects } from './select-objects.ts';

function object(kind: string, name: string, spec: object = {}): KubeObject {
  return { apiVersion: 'fnlet.dev/v1alpha1', kind, metadata: { name }, spec };
}

const all = [
  object('Function', 'orders'),
  object('Function', 'mail'),
  object('Function', 'other'),
  object('Broker', 'shop'),
  object('Broker', 'lost'),
  object('Operator', 'site', { reconcile: { function: 'orders' } }),
  object('Operator', 'inline', { reconcile: { runtime: 'nodejs24' } }),
  object('Trigger', 'placed', {
    source: { broker: { name: 'shop' } },
    target: { function: 'orders' },
    delivery: { deadLetter: { broker: 'lost' } },
  }),
  object('Trigger', 'nightly', { source: { cron: {} }, target: { function: 'mail' } }),
];

function chosen(...names: string[]): readonly string[] {
  return selectObjects(all, names).selected.map(nameOf);
}

test('without names all are chosen', () => {
  assert.equal(chosen().length, all.length);
});

test('with a Function comes what leads to it, and what that names', () => {
  assert.deepEqual(chosen('orders'), [
    ...['function/orders', 'broker/shop', 'broker/lost', 'operator/site', 'trigger/placed'],
  ]);
});

test('a Trigger brings what it names, and not the other ways to its Function', () => {
  assert.deepEqual(chosen('trigger/nightly'), ['function/mail', 'trigger/nightly']);
  assert.ok(!chosen('Trigger/placed').includes('operator/site'));
});

test('an Operator with a function of its own comes alone; unknown names are told', () => {
  assert.deepEqual(chosen('inline'), ['operator/inline']);
  const { selected, unknown } = selectObjects(all, ['other', 'none', 'trigger/orders']);
  assert.deepEqual(selected.map(nameOf), ['function/other']);
  assert.deepEqual(unknown, ['none', 'trigger/orders']);
});
