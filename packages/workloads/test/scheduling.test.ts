import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import { leaseType, type Node, nodeType } from '../src/node.ts';
import { type Pod, podType } from '../src/pod.ts';
import { endpointSliceType, endpointsType, type Service, serviceType } from '../src/service.ts';
import { Cluster, machine, namespace } from './cluster.ts';

const isRunning = (pod: Pod | undefined): boolean => pod?.status?.phase === 'Running';

test('the machine is the one Node, and its heart beats', async () => {
  await using cluster = await new Cluster().start();
  const node = await cluster.until(async () => {
    const found = await cluster.get<Node>(nodeType, 'laptop');
    return findCondition(found?.status?.conditions, 'Ready')?.status === 'True' ? found : undefined;
  });
  assert.equal(node.metadata.labels?.['kubernetes.io/hostname'], 'laptop');
  const lease = async (): Promise<string> => {
    const found = await cluster.pump(
      cluster.client
        .of<KubeObject>(leaseType)
        .tryGet({ namespace: 'kube-node-lease', name: 'laptop' }),
    );
    return found === undefined ? '' : JSON.stringify(found.spec);
  };
  // A first beat that fails is made up for with the next one.
  const before = await cluster.until(lease, 15_000);
  await cluster.clock.advance(11_000);
  assert.notEqual(await lease(), before);
});

test('a Pod without a node is placed on it', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { nodeName: '' });
  await cluster.until(async () => isRunning(await cluster.pod('web')));
  assert.equal((await cluster.pod('web'))?.spec.nodeName, 'laptop');
  assert.ok((await cluster.reasons('web')).includes('Scheduled'));
});

test('a Pod that fits nowhere says why, and runs when a node fits', async () => {
  await using cluster = await new Cluster().start();
  await cluster.until(() => cluster.get<Node>(nodeType, 'laptop'));
  await cluster.createPod('web', { nodeName: '', nodeSelector: { disk: 'fast' } });
  const pod = await cluster.until(async () => {
    const found = await cluster.pod('web');
    const condition = findCondition(found?.status?.conditions, 'PodScheduled');
    return condition?.status === 'False' ? found : undefined;
  });
  assert.equal(pod.status?.phase, 'Pending');
  assert.equal(
    findCondition(pod.status?.conditions, 'PodScheduled')?.message,
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
  );
  assert.ok((await cluster.reasons('web')).includes('FailedScheduling'));
  const labels = { metadata: { labels: { disk: 'fast' } } };
  await cluster.pump(
    cluster.client
      .of<Node>(nodeType)
      .patch(
        { namespace: '', name: machine.hostname.toLowerCase() },
        { type: 'merge', patch: labels },
      ),
  );
  await cluster.until(async () => isRunning(await cluster.pod('web')));
});

test('a Pod with scheduling gates waits for them to go', async () => {
  await using cluster = await new Cluster().start();
  await cluster.createPod('web', { nodeName: '', schedulingGates: [{ name: 'example.com/a' }] });
  await cluster.until(async () => {
    const condition = findCondition((await cluster.pod('web'))?.status?.conditions, 'PodScheduled');
    return condition?.reason === 'SchedulingGated';
  });
  assert.deepEqual(cluster.containers.starts, []);
});

test('a Service is told who answers for it, and who is not ready', async () => {
  let ok = false;
  await using cluster = await new Cluster({ probe: () => ({ ok, message: 'no' }) }).start();
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'front', namespace },
    spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
  };
  await cluster.create(serviceType, service);
  await cluster.createPod('web', {
    containers: [
      {
        ...{ name: 'main', image: 'node', command: ['serve'] },
        ports: [{ name: 'web', containerPort: 3000 }],
        readinessProbe: { tcpSocket: { port: 'web' }, periodSeconds: 1 },
      },
    ],
  });
  await cluster.patch(podType, 'web', { metadata: { labels: { app: 'web' } } });
  const slice = async (): Promise<string | undefined> =>
    JSON.stringify(await cluster.get(endpointSliceType, 'front-0'));
  await cluster.until(async () => (await slice())?.includes('"ready":false'));
  ok = true;
  await cluster.until(async () => (await slice())?.includes('"ready":true'));
  const text = (await slice()) ?? '';
  assert.match(text, /"port":3000/);
  assert.match(text, /"kubernetes.io\/service-name":"front"/);
  const endpoints = await cluster.get<KubeObject>(endpointsType, 'front');
  assert.match(JSON.stringify(endpoints), /"addresses":\[\{"ip":"127\.64\./);
});
