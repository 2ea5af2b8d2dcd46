import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { createClient, type TransportRequest } from '@fnlet/client';
import { createScriptedTransport } from '../test/scripted-transport.ts';
import { createStatusWriter, type ObjectWithStatus } from './status-writer.ts';

const type = {
  group: 'fnlet.dev',
  version: 'v1alpha1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

const thing: ObjectWithStatus = {
  apiVersion: 'fnlet.dev/v1alpha1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'default', uid: 'u1', generation: 3 },
};

test('a status is patched when it differs, and not again when it is there', async () => {
  const requests: TransportRequest[] = [];
  const clock = new VirtualClock();
  const transport = createScriptedTransport((request) => {
    requests.push(request);
    return { ...thing, status: Object(request.body).status };
  });
  const client = createClient(transport, { fieldManager: 'test', clock }).of<ObjectWithStatus>(
    type,
  );
  const writer = createStatusWriter({ client, clock });
  const update = { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] } as const;
  const { signal } = new AbortController();
  const written = await writer.write(thing, update, signal);
  assert.equal(requests.length, 1);
  const [request] = requests;
  assert.equal(request?.path, '/apis/fnlet.dev/v1alpha1/namespaces/default/things/a/status');
  assert.deepEqual(request?.body, {
    metadata: { uid: 'u1' },
    status: {
      observedGeneration: 3,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Ready',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  });
  assert.ok(written);
  assert.equal(await writer.write(written, update, signal), undefined);
  assert.equal(requests.length, 1);
});
