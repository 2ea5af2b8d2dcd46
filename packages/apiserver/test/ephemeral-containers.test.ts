import assert from 'node:assert/strict';
import { it } from 'node:test';
import { at, textAt } from './at.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const pods = '/api/v1/namespaces/default/pods';
const part = `${pods}/p/ephemeralcontainers`;
const strategic = 'application/strategic-merge-patch+json';

async function openWithPod(): Promise<OpenedServer> {
  const server = await openServer();
  const spec = {
    containers: [{ name: 'c', image: 'img:1' }],
    volumes: [{ name: 'v', emptyDir: {} }],
  };
  await server.ask('POST', pods, {
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec },
  });
  return server;
}

function add(server: OpenedServer, ...ephemeralContainers: object[]) {
  const body = { spec: { ephemeralContainers } };
  return server.ask('PATCH', part, { body, contentType: strategic });
}

const debugging = { name: 'd', image: 'busybox' };

it('adds a container for debugging, and nothing else', async () => {
  await using server = await openWithPod();
  const body = {
    metadata: { labels: { x: 'y' } },
    spec: { activeDeadlineSeconds: 1, ephemeralContainers: [debugging] },
  };
  const { status } = await server.ask('PATCH', part, { body, contentType: strategic });
  assert.equal(status, 200);
  const { body: pod } = await server.ask('GET', part);
  assert.equal(at(pod, '/spec/ephemeralContainers/0/name'), 'd');
  assert.equal(at(pod, '/spec/ephemeralContainers/0/imagePullPolicy'), 'Always');
  assert.equal(at(pod, '/spec/activeDeadlineSeconds'), undefined);
  assert.equal(at(pod, '/metadata/labels'), undefined);
  assert.equal(at(pod, '/metadata/generation'), 2);
  const managers = at(pod, '/metadata/managedFields');
  assert.ok(Array.isArray(managers));
  assert.equal(managers.at(-1).subresource, 'ephemeralcontainers');
});

it('leaves those that are there as they are', async () => {
  await using server = await openWithPod();
  await add(server, debugging);
  const changed = await add(server, { ...debugging, image: 'other' });
  assert.equal(changed.status, 422);
  assert.match(
    textAt(changed.body, '/message'),
    /spec.ephemeralContainers: Forbidden: existing ephemeral containers "d" may not be changed/,
  );
  const { body: pod } = await server.ask('GET', part);
  const without = { ...Object(pod), spec: { ...Object(pod).spec, ephemeralContainers: [] } };
  const removed = await server.ask('PUT', part, { body: without });
  assert.equal(removed.status, 422);
  assert.match(textAt(removed.body, '/message'), /"d" may not be removed/);
  assert.equal((await add(server, { name: 'e', image: 'busybox' })).status, 200);
});

it('is applied by managers who own their containers alone', async () => {
  await using server = await openWithPod();
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { activeDeadlineSeconds: 1, ephemeralContainers: [debugging] },
  };
  const { status, body: pod } = await server.ask('PATCH', part, {
    ...{ body, contentType: 'application/apply-patch+yaml' },
    query: { fieldManager: 'me' },
  });
  assert.equal(status, 200);
  assert.equal(at(pod, '/spec/activeDeadlineSeconds'), undefined);
  const fields = JSON.stringify(at(pod, '/metadata/managedFields'));
  assert.match(fields, /f:ephemeralContainers/);
  assert.doesNotMatch(fields, /f:activeDeadlineSeconds/);
});

it('come to a Pod that is there, and through their own door', async () => {
  await using server = await openWithPod();
  const spec = { containers: [{ name: 'c', image: 'i' }], ephemeralContainers: [debugging] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'q' }, spec };
  const created = await server.ask('POST', pods, { body: pod });
  assert.equal(created.status, 422);
  assert.match(
    textAt(created.body, '/message'),
    /spec.ephemeralContainers: Forbidden: cannot be set on create/,
  );
  const body = { spec: { ephemeralContainers: [debugging] } };
  const patched = await server.ask('PATCH', `${pods}/p`, { body, contentType: strategic });
  assert.equal(patched.status, 422);
  assert.match(textAt(patched.body, '/message'), /pod updates may not change fields other than/);
});

const refused: readonly [string, object, RegExp][] = [
  ['a name that is taken', { ...debugging, name: 'c' }, /\[0\].name: Duplicate value: "c"/],
  ['no image', { name: 'd' }, /\[0\].image: Required value/],
  ['an unknown target', { ...debugging, targetContainerName: 'z' }, /Name: Not found: "z"/],
  ['ports', { ...debugging, ports: [{ containerPort: 1 }] }, /\[0\].ports: Forbidden: cannot be/],
  ['limits', { ...debugging, resources: { limits: { cpu: '1' } } }, /\[0\].resources: Forbidden/],
  [
    'a probe',
    { ...debugging, startupProbe: { exec: { command: ['x'] } } },
    /\[0\].startupProbe: Forbidden: cannot be set for an Ephemeral Container/,
  ],
  [
    'a part of a volume',
    { ...debugging, volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 's' }] },
    /\[0\].volumeMounts\[0\].subPath: Forbidden/,
  ],
  [
    'an unknown volume',
    { ...debugging, volumeMounts: [{ name: 'w', mountPath: '/v' }] },
    /\[0\].volumeMounts\[0\].name: Not found: "w"/,
  ],
];
for (const [what, container, message] of refused) {
  it(`refuses a container for debugging with ${what}`, async () => {
    await using server = await openWithPod();
    const { status, body } = await add(server, container);
    assert.equal(status, 422);
    assert.match(textAt(body, '/message'), message);
  });
}
