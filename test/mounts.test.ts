/** Secrets and ConfigMaps as files: where the function looks for them, and as they are now. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

const call = async (path: string): Promise<string> =>
  (await fetch(`${fnlet.endpoints.gateway}/default/${path}`)).text();

const secret = (name: string, stringData: object): Promise<void> =>
  api.applyCore('secrets', { kind: 'Secret', name, stringData });

const reader = {
  inline: `import { readFileSync } from 'node:fs';
export default (request) => {
  const path = new URL(request.url).searchParams.get('read');
  try { return process.pid + ' ' + readFileSync(path, 'utf8'); } catch (error) { return process.pid + ' ' + error.code; }
};`,
};

const read = async (name: string, path: string): Promise<readonly [string, string]> => {
  const [pid = '', ...text] = (await call(`${name}?read=${path}`)).split(' ');
  return [pid, text.join(' ')];
};

test('an edited Secret shows in the running function, and nowhere else', async () => {
  await secret('live', { key: 'first' });
  await api.applyFunction('live', {
    source: reader,
    // Where nothing is, in a directory of the system, and below what is a link on most machines.
    mounts: [
      { secret: 'live', path: '/live-secret' },
      { secret: 'live', path: '/etc/live' },
      { secret: 'live', path: '/var/run/live', items: [{ key: 'key', path: 'deep/er' }] },
    ],
  });
  await api.waitReady('live');
  const [pid, text] = await read('live', '/live-secret/key');
  assert.equal(text, 'first');
  const { revision } = await api.getFunction('live');
  await secret('live', { key: 'second', more: 'x' });
  for (const path of ['/live-secret/key', '/etc/live/key', '/var/run/live/deep/er']) {
    await until(async () => (await read('live', path))[1] === 'second', { what: path });
  }
  assert.deepEqual(await read('live', '/etc/live/more'), [pid, 'x']);
  assert.equal((await api.getFunction('live')).revision, revision);

  await api.applyFunction('plain', { source: reader });
  await api.waitReady('plain');
  assert.equal((await read('plain', '/etc/live/key'))[1], 'ENOENT');
  assert.equal((await read('live', '/etc/passwd'))[1].length > 0, true);

  // As with a kubelet: what is mounted stays, and only what starts anew needs it.
  await api.deleteCore('secrets', 'live');
  const { reason, message } = await api.waitNotReady('live');
  assert.equal(reason, 'EnvironmentNotFound');
  assert.match(message, /mount at "\/live-secret": Secret "live" does not exist/);
  assert.deepEqual(await read('live', '/etc/live/key'), [pid, 'second']);
});

test('a Function waits for the Secret of its mount', async () => {
  await api.applyFunction('waits', {
    source: reader,
    mounts: [{ secret: 'late', path: '/etc/late' }],
  });
  assert.equal((await api.waitNotReady('waits')).reason, 'EnvironmentNotFound');
  await secret('late', { key: 'there' });
  await until(async () => (await api.getFunction('waits')).ready, { what: 'readiness' });
  assert.equal((await read('waits', '/etc/late/key'))[1], 'there');
});

test('a mount that would hide what Instances need is told', async () => {
  await secret('hides', { key: 'x' });
  const path = fnlet.dataDirectory;
  await api.applyFunction('hides', { source: reader, mounts: [{ secret: 'hides', path }] });
  const { reason, message } = await api.waitNotReady('hides');
  assert.equal(reason, 'LoadFailed');
  assert.match(message, /it would hide .* which Instances need on this machine/);
});

test('a function acts in the API as its account may, and no further', async () => {
  await api.applyCore('serviceaccounts', { kind: 'ServiceAccount', name: 'reader' });
  await api.applyRole('reader', { resources: ['configmaps'], verbs: ['get'] });
  await api.applyFunction('acts', {
    source: {
      inline: `import { readFileSync } from 'node:fs';
import { get } from 'node:https';
const directory = '/var/run/secrets/kubernetes.io/serviceaccount';
const read = (name) => readFileSync(directory + '/' + name, 'utf8');
const ask = (plural) => new Promise((resolve, reject) => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const path = '/api/v1/namespaces/' + read('namespace') + '/' + plural;
  const headers = { authorization: 'Bearer ' + read('token') };
  get({ host, port, path, headers, ca: read('ca.crt') }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  }).on('error', reject);
});
export default async () => [await ask('configmaps/kube-root-ca.crt'), await ask('secrets')].join(' ');`,
    },
    serviceAccountName: 'reader',
  });
  await api.waitReady('acts');
  assert.equal(await call('acts'), '200 403');
});
