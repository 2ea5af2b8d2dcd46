import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { createMemoryContainers } from '@fnlet/executor';
import { createContainerPodRuntime } from './container-pod-runtime.ts';

test('the log of a run that said nothing is empty', async () => {
  const unasked = (): never => {
    throw new Error('Only logs are read');
  };
  const others = { exec: unasked, attach: unasked, connect: unasked, readUsage: unasked };
  const runtime = createContainerPodRuntime(
    { ...createMemoryContainers(), ...others },
    { clock: new VirtualClock(), nodeName: 'machine' },
  );
  const { signal } = new AbortController();
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', uid: 'a' } };
  const chunks = await Array.fromAsync(
    runtime.logs(pod, {
      ...{ container: 'main', follow: false, previous: true, awaitsRun: true, signal },
      ...{ timestamps: false, tailLines: undefined, limitBytes: undefined },
      ...{ sinceSeconds: undefined, sinceTime: undefined },
    }),
  );
  assert.deepEqual(chunks, []);
});
