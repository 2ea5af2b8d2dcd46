import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import { builtinKinds } from '../src/builtins/facts/builtin-kinds.ts';
import { at } from './at.ts';
import { openServer } from './opened-server.ts';

const conditional = [
  'APIService',
  'CSIDriver',
  'CSINode',
  'CSIStorageCapacity',
  'CustomResourceDefinition',
  'Lease',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'PodDisruptionBudget',
  'RuntimeClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
];

it('knows which kinds are only changed by who says what they were', () => {
  const kinds = builtinKinds.filter(({ conditionalUpdate }) => conditionalUpdate === true);
  assert.deepEqual(kinds.map(({ kind }) => kind).sort(), conditional);
});

it('refuses a PUT of such a kind, and of its status, without resourceVersion', async () => {
  await using server = await openServer();
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const { body: made } = await server.ask('POST', budgets, {
    body: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
    },
  });
  assert.ok(isJsonObject(made));
  const body = { ...made, metadata: { name: 'b' } };
  for (const path of [`${budgets}/b`, `${budgets}/b/status`]) {
    const refused = await server.ask('PUT', path, { body });
    assert.equal(refused.status, 422);
    assert.equal(
      at(refused.body, '/message'),
      'poddisruptionbudgets.policy "b" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
    assert.equal((await server.ask('PUT', path, { body: made })).status, 200);
  }
});

it('takes such a PUT of any other kind as one of what is there', async () => {
  await using server = await openServer();
  const maps = '/api/v1/namespaces/default/configmaps';
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  await server.ask('POST', maps, { body });
  const { status } = await server.ask('PUT', `${maps}/c`, { body: { ...body, data: { a: 'b' } } });
  assert.equal(status, 200);
});
