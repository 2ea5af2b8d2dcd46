import assert from 'node:assert/strict';
import { it } from 'node:test';
import { at, listAt, textAt } from '../at.ts';
import { type OpenedServer, openServer } from '../opened-server.ts';

// What depends on other objects: in a cluster the work of admission plugins.

const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const pods = '/api/v1/namespaces/default/pods';

function priorityClass(name: string, value: number, rest: object = {}): object {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    ...rest,
  };
}

function pod(name: string, spec: object = {}): object {
  const containers = [{ name: 'c', image: 'img:1' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
}

async function createRobot(server: OpenedServer): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
  const path = '/api/v1/namespaces/default/serviceaccounts';
  assert.equal((await server.ask('POST', path, { body })).status, 201);
}

it('a Pod is as important as its PriorityClass says, or as the default one does', async () => {
  await using server = await openServer();
  const create = async (name: string, spec: object = {}) =>
    (await server.ask('POST', pods, { body: pod(name, spec) })).body;
  assert.equal(at(await create('plain'), '/spec/priority'), 0);
  await server.ask('POST', classes, { body: priorityClass('low', 5, { globalDefault: true }) });
  await server.ask('POST', classes, {
    body: priorityClass('high', 900, { preemptionPolicy: 'Never' }),
  });
  const usual = await create('usual');
  assert.deepEqual([at(usual, '/spec/priorityClassName'), at(usual, '/spec/priority')], ['low', 5]);
  const high = await create('high', { priorityClassName: 'high' });
  assert.deepEqual(
    [at(high, '/spec/priority'), at(high, '/spec/preemptionPolicy')],
    [900, 'Never'],
  );
  const node = await create('node', { priorityClassName: 'system-node-critical' });
  assert.equal(at(node, '/spec/priority'), 2_000_001_000);
  const unknown = await create('unknown', { priorityClassName: 'nope' });
  assert.equal(at(unknown, '/code'), 403);
  assert.equal(
    textAt(unknown, '/message'),
    'pods "unknown" is forbidden: no PriorityClass with name nope was found',
  );
  const liar = await create('liar', { priorityClassName: 'high', priority: 1 });
  assert.match(
    textAt(liar, '/message'),
    /the integer value of priority \(1\) must not be provided in pod spec/,
  );
});

it('a Pod acts as the default account unless it names one, and gets no token unasked', async () => {
  await using server = await openServer();
  const { body: usual } = await server.ask('POST', pods, { body: pod('usual') });
  assert.equal(at(usual, '/spec/serviceAccountName'), 'default');
  assert.equal(at(usual, '/spec/serviceAccount'), 'default');
  assert.equal(at(usual, '/spec/volumes'), undefined);
  await createRobot(server);
  const older = { body: pod('older', { serviceAccount: 'robot' }) };
  const { body: named } = await server.ask('POST', pods, older);
  assert.equal(at(named, '/spec/serviceAccountName'), 'robot');
  const query = { fieldSelector: 'spec.serviceAccountName=default' };
  const { body: found } = await server.ask('GET', pods, { query });
  assert.deepEqual(
    listAt(found, '/items').map((item) => at(item, '/metadata/name')),
    ['usual'],
  );
  const { status } = await server.ask('PUT', `${pods}/older`, { body: pod('older') });
  assert.equal(status, 200);
});

it('a Pod that names an account which is not there is refused', async () => {
  await using server = await openServer();
  const body = pod('p', { serviceAccountName: 'robot' });
  const { status, body: refusal } = await server.ask('POST', pods, { body });
  assert.equal(status, 403);
  const text = 'error looking up service account default/robot: serviceaccount "robot" not found';
  assert.equal(textAt(refusal, '/message'), `pods "p" is forbidden: ${text}`);
  await createRobot(server);
  assert.equal((await server.ask('POST', pods, { body })).status, 201);
  const elsewhere = await server.ask('POST', '/api/v1/namespaces/kube-system/pods', { body });
  assert.equal(elsewhere.status, 403);
  const nowhere = await server.ask('POST', '/api/v1/namespaces/nowhere/pods', { body });
  assert.equal(nowhere.status, 404);
});

it('there is one default PriorityClass', async () => {
  await using server = await openServer();
  const create = (name: string) =>
    server.ask('POST', classes, { body: priorityClass(name, 5, { globalDefault: true }) });
  assert.equal((await create('a')).status, 201);
  const second = await create('b');
  assert.equal(second.status, 403);
  assert.match(
    textAt(second.body, '/message'),
    /a is already marked as default. Only one default can exist/,
  );
});

it('a Pod keeps what admission gave it through a PUT that says nothing of it', async () => {
  await using server = await openServer();
  const { body: created } = await server.ask('POST', pods, { body: pod('p') });
  const { status, body } = await server.ask('PUT', `${pods}/p`, { body: pod('p') });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(at(body, '/spec'), at(created, '/spec'));
});

it('the addresses of a Pod begin with its address', async () => {
  await using server = await openServer();
  await server.ask('POST', pods, { body: pod('p') });
  const { body } = await server.ask('PATCH', `${pods}/p/status`, {
    body: { status: { podIP: '10.0.0.1' } },
    contentType: 'application/merge-patch+json',
  });
  assert.deepEqual(at(body, '/status/podIPs'), [{ ip: '10.0.0.1' }]);
});

it('a claim without a class gets the default one, and one that wants none gets none', async () => {
  await using server = await openServer();
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await server.ask('POST', '/apis/storage.k8s.io/v1/storageclasses', {
    body: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard', annotations },
      provisioner: 'example.com/disk',
    },
  });
  const claim = async (name: string, rest: object) => {
    const resources = { requests: { storage: '1Gi' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources, ...rest };
    const body = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
    const path = '/api/v1/namespaces/default/persistentvolumeclaims';
    return at((await server.ask('POST', path, { body })).body, '/spec/storageClassName');
  };
  assert.equal(await claim('a', {}), 'standard');
  assert.equal(await claim('b', { storageClassName: '' }), '');
});

it('an autoscaler is one object in two versions', async () => {
  await using server = await openServer();
  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const { status } = await server.ask('POST', path('v1'), {
    body: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 60 },
    },
  });
  assert.equal(status, 201);
  const { body: newer } = await server.ask('GET', `${path('v2')}/h`);
  assert.equal(at(newer, '/spec/metrics/0/resource/target/averageUtilization'), 60);
  const changed = JSON.stringify(newer).replace(
    '"averageUtilization":60',
    '"averageUtilization":70',
  );
  await server.ask('PUT', `${path('v2')}/h`, { body: changed });
  const { body: older } = await server.ask('GET', `${path('v1')}/h`);
  assert.equal(at(older, '/spec/targetCPUUtilizationPercentage'), 70);
});
