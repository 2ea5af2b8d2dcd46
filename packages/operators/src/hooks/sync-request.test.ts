import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReconcileCall } from '@fnlet/sdk/operator-wire';
import { customizeRequest, type HookController, syncRequest } from './sync-request.ts';

const pod = named('v1', 'Pod', { name: 'a-0', namespace: 'team' });
const parent = named('example.dev/v1', 'CatSet', { name: 'a', namespace: 'team' });
const owned = [
  { apiVersion: 'v1', kind: 'Pod' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
];
const composite: HookController = { style: 'Composite', name: 'cats', owned };
const controller = {
  apiVersion: 'metacontroller.k8s.io/v1alpha1',
  kind: 'CompositeController',
  metadata: { name: 'cats' },
};

function named(apiVersion: string, kind: string, metadata: ReconcileCall['object']['metadata']) {
  return { apiVersion, kind, metadata };
}

function callWith(more: Partial<ReconcileCall> = {}): ReconcileCall {
  return {
    ...{ contract: 1, operator: 'team/cats', what: 'reconcile', run: 'r', reason: '', attempt: 1 },
    ...{ now: '2026-11-23T08:00:00Z', deadline: '2026-11-23T08:00:10Z', object: parent },
    ...{ children: [pod], related: [], sent: { uid: 'u' }, ...more },
  };
}

test('syncRequest() has children by kind and name, and every declared kind', () => {
  assert.deepEqual(syncRequest(callWith(), composite), {
    controller,
    parent,
    children: { 'Pod.v1': { 'a-0': pod }, 'Deployment.apps/v1': {} },
    related: {},
    finalizing: false,
  });
});

test('syncRequest() of a DecoratorController has an object and its attachments', () => {
  const request = syncRequest(callWith(), { ...composite, style: 'Decorator' });
  assert.deepEqual(Object.keys(request).sort(), [
    ...['attachments', 'controller', 'finalizing', 'object', 'related'],
  ]);
  assert.deepEqual(request.controller, { ...controller, kind: 'DecoratorController' });
});

test('syncRequest() names objects relative to the parent', () => {
  const others = [
    named('v1', 'Secret', { name: 's', namespace: 'other' }),
    named('v1', 'Node', { name: 'n' }),
    pod,
  ];
  assert.deepEqual(
    Object.keys(Object(syncRequest(callWith({ related: others }), composite).related)),
    [...['Secret.v1', 'Node.v1', 'Pod.v1']],
  );
  const namesOf = (object: ReconcileCall['object']): string[] => {
    const { related } = syncRequest(callWith({ object, related: others }), composite);
    return Object.values(Object(related)).flatMap((group) => Object.keys(Object(group)));
  };
  assert.deepEqual(namesOf(parent), ['other/s', 'n', 'a-0']);
  assert.deepEqual(namesOf(named('v1', 'Namespace', { name: 'whole' })), [
    'other/s',
    'n',
    'team/a-0',
  ]);
});

test('syncRequest() of a cleanup says that it finalizes; customizeRequest() has the parent alone', () => {
  assert.equal(syncRequest(callWith({ what: 'cleanup' }), composite).finalizing, true);
  assert.deepEqual(customizeRequest(callWith(), composite), { controller, parent });
});
