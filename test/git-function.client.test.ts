/** Kyma's gitops story: a push reaches the callers of a Function, without anybody building. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tarBytes } from '../packages/executor/test/archive-bytes.ts';
import { type GitServer, startGitServer } from '../packages/executor/test/git-server.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let dataDirectory: string;
let fnlet: FnletProcess;
let api: TestApi;
let server: GitServer;

before(async () => {
  dataDirectory = await makeDataDirectory();
  fnlet = await startFnlet({ dataDirectory });
  api = await createApi(fnlet.endpoints.kubeconfig);
  server = await startGitServer();
});

after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function handler(text: string): Record<string, string> {
  return { 'functions/hello/handler.ts': `export default (): string => '${text}';\n` };
}

async function call(name: string): Promise<string> {
  return (await fetch(`${fnlet.endpoints.gateway}/default/${name}`)).text();
}

test('what is pushed answers after fnlet sync, and what fails leaves it alone', async () => {
  server.commit('code.git', handler('GITOPS 1'));
  const url = `${server.url}/code.git`;
  const git = { url, reference: 'main', directory: 'functions/hello', interval: '0s' };
  await api.applyFunction('gitops', { source: { git } });
  await api.waitReady('gitops');
  assert.equal(await call('gitops'), 'GITOPS 1');
  const commit = server.commit('code.git', handler('GITOPS 2'));
  const synced = await fnlet.cli(['sync', 'gitops']);
  assert.equal(synced.code, 0, synced.stderr);
  assert.match(synced.stderr, new RegExp(`is of commit ${commit} \\(main\\)`));
  assert.equal(await call('gitops'), 'GITOPS 2');
  server.commit('code.git', { 'functions/hello/handler.ts': 'export default (' });
  const broken = await fnlet.cli(['sync', 'gitops']);
  assert.equal(broken.code, 7, broken.stderr);
  assert.match(broken.stderr, /handler\.ts:1/);
  assert.equal(await call('gitops'), 'GITOPS 2');
  server.commit('code.git', handler('GITOPS 3'));
  assert.equal((await fnlet.cli(['sync', 'gitops'])).code, 0);
  assert.equal(await call('gitops'), 'GITOPS 3');
});

test('fnlet sync says what there is nothing to look at', async () => {
  await api.applyFunction('inline', { source: { inline: 'export default () => "hi";' } });
  const { code, stderr } = await fnlet.cli(['sync', 'inline']);
  assert.equal(code, 1);
  assert.match(stderr, /found its source in the cluster/);
});

test('a branch is followed without anybody asking', async () => {
  server.commit('polled.git', handler('one'));
  const url = `${server.url}/polled.git`;
  const git = { url, directory: 'functions/hello', interval: '10s' };
  await api.applyFunction('polled', { source: { git } });
  await api.waitReady('polled');
  server.commit('polled.git', handler('two'));
  await until(async () => (await call('polled')) === 'two', {
    what: 'the push',
    timeoutMs: 40_000,
  });
});

test('a webhook tells about a push, if it is signed', async () => {
  server.commit('hooked.git', handler('one'));
  const url = `${server.url}/hooked.git`;
  const webhook = { secretRef: { name: 'hook', key: 'secret' } };
  const git = { url, reference: 'main', directory: 'functions/hello', interval: '0s', webhook };
  const secret = ['create', 'secret', 'generic', 'hook', '--from-literal', 'secret=s3cret'];
  await fnlet.kubectl(secret);
  await api.applyFunction('hooked', { source: { git } });
  await api.waitReady('hooked');
  const post = async (name: string, ref: string, key: string): Promise<number> => {
    const body = JSON.stringify({ ref });
    const signature = createHmac('sha256', key).update(body).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'push' };
    const place = `${fnlet.endpoints.gateway}/-/webhooks/default/${name}`;
    return (await fetch(place, { method: 'POST', headers, body })).status;
  };
  server.commit('hooked.git', handler('two'));
  await until(async () => (await post('hooked', 'refs/heads/x', 'wrong')) === 401, {
    what: 'a wrong signature to be refused',
  });
  assert.equal(await post('nobody', 'refs/heads/main', 's3cret'), 404);
  assert.equal(await post('gitops', 'refs/heads/main', 's3cret'), 404);
  assert.equal(await post('hooked', 'refs/heads/other', 's3cret'), 202);
  assert.equal(await call('hooked'), 'one');
  assert.equal(await post('hooked', 'refs/heads/main', 's3cret'), 202);
  await until(async () => (await call('hooked')) === 'two', { what: 'the push to answer' });
});

test('a repository behind a Service is read by the name of the Service', async () => {
  server.commit('inside.git', handler('inside'));
  await api.applyCore('services', {
    kind: 'Service',
    name: 'git',
    spec: { ports: [{ port: 80 }] },
  });
  const source = (host: string): object => ({
    git: { url: `http://${host}/inside.git`, directory: './functions/hello', interval: '0s' },
  });
  await api.applyFunction('inside', { source: source('git.default.svc.cluster.local') });
  const said = (): Promise<string> => conditionOf('inside', 'SourceReady');
  await until(async () => /Service default\/git has nobody ready at port 80/.test(await said()), {
    what: 'the condition to say that nobody answers',
  });
  const subsets = [
    { addresses: [{ ip: '127.0.0.1' }], ports: [{ port: Number(new URL(server.url).port) }] },
  ];
  await api.applyCore('endpoints', { kind: 'Endpoints', name: 'git', subsets });
  assert.equal((await fnlet.cli(['sync', 'inside'])).code, 0);
  assert.equal(await call('inside'), 'inside');
  await api.applyFunction('inside-too', { source: source('git.default') });
  await api.waitReady('inside-too');
  assert.equal(await call('inside-too'), 'inside');
});

test('an archive is fetched from the function that serves it, which is woken for it', async () => {
  const archive = gzipSync(tarBytes([{ path: 'handler.js', content: answering('packed') }]));
  const serving = `const bytes = Buffer.from('${archive.toString('base64')}', 'base64');
export default () => new Response(bytes);`;
  await api.applyFunction('files', { source: { inline: serving }, scale: { idleAfter: '1s' } });
  await api.waitReady('files');
  await until(async () => (await api.podsOf('files')).length === 0, { what: 'it to sleep' });
  const url = 'http://files.default.svc.cluster.local/code.tgz';
  await api.applyFunction('packed', { source: { archive: { url } } });
  await api.waitReady('packed');
  assert.equal(await call('packed'), 'packed');
});

function answering(text: string): string {
  return `export default () => '${text}';`;
}

async function conditionOf(name: string, type: string): Promise<string> {
  const path = `jsonpath={.status.conditions[?(@.type=="${type}")].message}`;
  return (await fnlet.kubectl(['get', 'function', name, '-o', path])).stdout;
}

test('after a restart it serves without its server; a lost copy is fetched again', async () => {
  server.commit('away.git', handler('here'));
  const url = `${server.url}/away.git`;
  const git = { url, reference: 'main', directory: 'functions/hello', interval: '0s' };
  await api.applyFunction('away', { source: { git } });
  await api.waitReady('away');
  const moved = server.commit('away.git', handler('moved'));
  await restart(async () => {});
  server.requests.length = 0;
  assert.equal(await call('away'), 'here');
  assert.deepEqual(
    server.requests.filter((path) => path.startsWith('/away.git')),
    [],
  );
  await restart(async () => {
    await rm(join(dataDirectory, 'artifacts'), { recursive: true });
    await rm(join(dataDirectory, 'sources'), { recursive: true });
  });
  assert.equal(await call('away'), 'here');
  assert.notEqual((await api.getFunction('away')).revision, moved);
});

async function restart(meanwhile: () => Promise<void>): Promise<void> {
  await api.close();
  await fnlet.stop();
  await meanwhile();
  fnlet = await startFnlet({ dataDirectory });
  api = await createApi(fnlet.endpoints.kubeconfig);
}
