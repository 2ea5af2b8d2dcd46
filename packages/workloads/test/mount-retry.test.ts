import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventType, type KubeEvent } from '@fnlet/reconcile';
import { configMapType } from '../src/pod-references.ts';
import { Cluster, namespace } from './cluster.ts';

const volumes = [{ name: 'conf', configMap: { name: 'conf' } }];
const containers = [
  {
    name: 'main',
    image: 'node',
    command: ['serve'],
    volumeMounts: [{ name: 'conf', mountPath: '/conf' }],
  },
];

async function failedMounts(cluster: Cluster): Promise<readonly KubeEvent[]> {
  const events = await cluster.list<KubeEvent>(eventType);
  return events.filter(({ reason }) => reason === 'FailedMount');
}

test('a volume that is missing is looked for ever less often, and told in one Event', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { containers, volumes });
  const tries = async (): Promise<number> => {
    const [event, ...others] = await failedMounts(cluster);
    assert.deepEqual(others, []);
    return event?.count ?? 0;
  };
  await cluster.until(async () => (await tries()) === 1);
  // After 0.5 s, 1 s, 2 s, 4 s and 8 s.
  await cluster.clock.advance(17_000);
  const early = await tries();
  assert.ok(early >= 5 && early <= 6, `${early} tries in 17 s`);
  // Once the pauses have their full length, an hour has room for thirty, of which the last three
  // may be told later: by then the Event is written once in five minutes.
  await cluster.clock.advance(600_000);
  const before = await tries();
  await cluster.clock.advance(3_600_000);
  const hourly = (await tries()) - before;
  assert.ok(hourly >= 26 && hourly <= 33, `${hourly} tries in an hour`);
});

test('a Pod starts within two minutes and two seconds after its volume is there', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { containers, volumes });
  await cluster.clock.advance(600_000);
  await cluster.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'conf', namespace },
  });
  await cluster.until(async () => (await cluster.pod('web'))?.status?.phase === 'Running', 123_000);
});
