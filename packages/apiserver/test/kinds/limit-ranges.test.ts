import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, textAt } from '../at.ts';
import { type Answer, type OpenedServer, openServer } from '../opened-server.ts';

const ranges = '/api/v1/namespaces/default/limitranges';
const pods = '/api/v1/namespaces/default/pods';

/** A server whose namespace `default` has a LimitRange of these limits. */
async function serverWith(...limits: readonly object[]): Promise<OpenedServer> {
  const server = await openServer();
  const body = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits } };
  const { status, headers } = await server.ask('POST', ranges, { body });
  assert.equal(status, 201);
  assert.equal(headers.warning, undefined);
  return server;
}

/** Makes the Pod `p` of containers with these resources. */
function create(server: OpenedServer, ...all: readonly object[]): Promise<Answer> {
  const containers = all.map((resources, n) => ({ name: `c${n}`, image: 'i', resources }));
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
  return server.ask('POST', pods, { body });
}

async function refusal(server: OpenedServer, ...all: readonly object[]): Promise<string> {
  const { status, body } = await create(server, ...all);
  assert.equal(status, 403);
  return textAt(body, '/message').replace('pods "p" is forbidden: ', '');
}

const container = { type: 'Container' };

describe('a LimitRange', () => {
  it('gives containers the resources that they do not name, and says so', async () => {
    const limit = { default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } };
    await using server = await serverWith({ ...container, ...limit });
    const { body } = await create(server, {}, { limits: { cpu: '2' }, requests: { cpu: '1' } });
    assert.deepEqual(at(body, '/spec/containers/0/resources'), {
      requests: { cpu: '100m', memory: '1Gi' },
      limits: { cpu: '1', memory: '1Gi' },
    });
    assert.deepEqual(at(body, '/spec/containers/1/resources'), {
      requests: { cpu: '1', memory: '1Gi' },
      limits: { cpu: '2', memory: '1Gi' },
    });
    assert.equal(
      at(body, '/metadata/annotations/kubernetes.io~1limit-ranger'),
      'LimitRanger plugin set: cpu, memory request for container c0; ' +
        'cpu, memory limit for container c0; memory request for container c1; ' +
        'memory limit for container c1',
    );
    assert.equal(at(body, '/status/qosClass'), 'Burstable');
  });

  it('refuses a container beyond its bounds', async () => {
    const limit = { min: { memory: '64Mi' }, max: { cpu: '1' } };
    await using server = await serverWith({ ...container, ...limit });
    const large = { limits: { cpu: '2' }, requests: { cpu: '2', memory: '1Gi' } };
    assert.equal(
      await refusal(server, large),
      'maximum cpu usage per Container is 1, but limit is 2',
    );
    const small = { requests: { memory: '32Mi' }, limits: { cpu: '2' } };
    assert.equal(
      await refusal(server, small),
      '[minimum memory usage per Container is 64Mi, but request is 32Mi, ' +
        'maximum cpu usage per Container is 1, but limit is 2]',
    );
    const { status } = await create(server, { requests: { memory: '64Mi' } });
    assert.equal(status, 201);
  });

  it('refuses a limit that is many times the request', async () => {
    await using server = await serverWith({ ...container, maxLimitRequestRatio: { cpu: '2' } });
    const start = 'cpu max limit to request ratio per Container is 2, but ';
    assert.equal(
      await refusal(server, { requests: { cpu: '100m' }, limits: { cpu: '250m' } }),
      `${start}provided ratio is 2.500000`,
    );
    assert.equal(await refusal(server, {}), `${start}no request is specified or request is 0`);
    const even = { requests: { cpu: '100m' }, limits: { cpu: '200m' } };
    assert.equal((await create(server, even)).status, 201);
  });

  it('refuses a Pod whose containers are too much together, or do not say', async () => {
    await using server = await serverWith({ type: 'Pod', max: { memory: '1Gi' } });
    const half = { limits: { memory: '600Mi' } };
    assert.equal(
      await refusal(server, half, half),
      'maximum memory usage per Pod is 1Gi, but limit is 1200Mi',
    );
    assert.equal(
      await refusal(server, {}),
      'maximum memory usage per Pod is 1Gi.  No limit is specified',
    );
    assert.equal((await create(server, half)).status, 201);
  });

  it('counts init containers where one of them needs more than all others', async () => {
    await using server = await serverWith({ type: 'Pod', max: { cpu: '1' } });
    const withInit = (name: string, cpu: string): Promise<Answer> => {
      const resources = { limits: { cpu: '600m' } };
      const init = { name: 'i', image: 'i', resources: { limits: { cpu } } };
      const containers = [{ name: 'c', image: 'i', resources }];
      const spec = { containers, initContainers: [init] };
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
      return server.ask('POST', pods, { body });
    };
    assert.equal((await withInit('a', '900m')).status, 201);
    const { body } = await withInit('b', '1100m');
    assert.match(textAt(body, '/message'), /per Pod is 1, but limit is 1100m$/);
  });

  it('is for its own namespace', async () => {
    await using server = await serverWith({ ...container, default: { cpu: '1' } });
    const containers = [{ name: 'c', image: 'i' }];
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
    const { body: made } = await server.ask('POST', '/api/v1/namespaces/kube-system/pods', {
      body,
    });
    assert.equal(at(made, '/metadata/name'), 'p');
    assert.equal(at(made, '/spec/containers/0/resources/limits'), undefined);
  });
});
