import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openServer } from './opened-server.ts';

const rows = [
  [
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    { spec: { priorityLevelConfiguration: { name: 'exempt' } } },
  ],
] as const;

for (const [apiVersion, kind, rest] of rows) {
  it(`says to whoever writes a ${kind} that it has no effect`, async () => {
    await using server = await openServer();
    const path = `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;
    const body = { apiVersion, kind, metadata: { name: 'a.example.com' }, ...rest };
    const { status, headers } = await server.ask('POST', path, { body });
    assert.equal(status, 201);
    assert.match(headers.warning ?? '', /^299 - ".* here.*"$/);
  });
}

const policyTypes = ['Ingress'];
const hostPath = { path: '/data' };

const namespacedRows = [
  [
    'v1',
    'PersistentVolumeClaim',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  ],
  ['networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {}, policyTypes } }],
  [
    'networking.k8s.io/v1',
    'Ingress',
    { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
  ],
] as const;

for (const [apiVersion, kind, rest] of namespacedRows) {
  it(`says to whoever writes a ${kind} of ${apiVersion} that nothing acts on it`, async () => {
    await using server = await openServer();
    const prefix = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const plural = `${kind.toLowerCase().replace(/y$/, 'ie').replace(/ss$/, 'sse')}s`;
    const path = `${prefix}/namespaces/default/${plural}`;
    const body = { apiVersion, kind, metadata: { name: 'a' }, ...rest };
    const { status, headers } = await server.ask('POST', path, { body });
    assert.equal(status, 201);
    assert.match(headers.warning ?? '', /^299 - ".* here.*"$/);
  });
}

it('warns of a PersistentVolume, and not of kinds that somebody acts on', async () => {
  await using server = await openServer();
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' }, spec };
  const warned = await server.ask('POST', '/api/v1/persistentvolumes', { body: volume });
  assert.match(warned.headers.warning ?? '', /nothing binds/);
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const { headers } = await server.ask('POST', '/api/v1/namespaces/default/configmaps', {
    body: map,
  });
  assert.equal(headers.warning, undefined);
});
