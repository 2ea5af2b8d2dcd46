import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { createMemoryContainers } from '@fnlet/executor';
import { createContainerPodRuntime } from './container-pod-runtime.ts';

test('the log of a run that said nothing is empty', async () => {
  const runtime = createContainerPodRuntime(createMemoryContainers(), {
    clock: new VirtualClock(),
    nodeName: 'machine',
  });
  const { signal } = new AbortController();
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', uid: 'a' } };
  const options = { container: 'main', follow: false, previous: true, timestamps: false, signal };
  const chunks = await Array.fromAsync(runtime.logs(pod, options));
  assert.deepEqual(chunks, []);
});
