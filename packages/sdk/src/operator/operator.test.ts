import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, requeueAfter } from './answer.ts';
import { progressing, ready } from './condition.ts';
import { defineKind } from './define-kind.ts';
import { field } from './field.ts';
import { ConfigMap, Deployment, Namespace } from './kinds/builtin-kinds.ts';
import { operator } from './operator.ts';
import { cel, generationChanged, labelsChanged, or } from './predicate.ts';

const Site = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'Site',
  description: 'A site.',
  spec: { html: field.text('The page.') },
  status: { url: field.text('Where it is reached.') },
});

test('operator() is named for its kind and keeps everything else as it was given', () => {
  const sites = operator(Site, {
    when: or(generationChanged, labelsChanged),
    owns: [ConfigMap, Deployment.keep('status.readyReplicas')],
    watches: [ConfigMap.mapTo(({ metadata }) => ({ name: metadata.name }))],
    reconcile({ object, children }) {
      const web = children(Deployment).get(object.metadata.name);
      const isUp = (web?.status?.readyReplicas ?? 0) > 0;
      return {
        children: [ConfigMap.of({ metadata: { name: 'a' }, data: { html: object.spec.html } })],
        status: { url: 'http://a' },
        conditions: [isUp ? ready() : progressing('Starting')],
      };
    },
    cleanup: () => done(),
  });
  assert.equal(sites.name, 'sites.example.dev');
  assert.equal(sites.for, Site);
  assert.equal(operator(Namespace, { reconcile: () => ({}) }).name, 'namespaces');
  assert.equal(operator(Site, { name: 'mine', reconcile: () => ({}) }).name, 'mine');
});

test('an answer is held to the type of the status', () => {
  operator(Site, {
    // @ts-expect-error: there is no "uri" in the status
    reconcile: () => ({ status: { uri: 'http://a' } }),
  });
  operator(Site, { reconcile: () => ({ status: { url: undefined } }) });
  assert.deepEqual(requeueAfter('10m'), { requeueAfter: '10m' });
});

test('predicates are data', () => {
  const when = or(generationChanged, cel`object.spec.html != oldObject.spec.html`);
  assert.deepEqual(JSON.parse(JSON.stringify(when)), {
    type: 'or',
    of: [
      { type: 'generation' },
      { type: 'cel', expression: 'object.spec.html != oldObject.spec.html' },
    ],
  });
  assert.deepEqual(cel('true'), { type: 'cel', expression: 'true' });
});
