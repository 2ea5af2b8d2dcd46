/** A Function that is internal: who reaches it, and who does not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const source = { inline: `export default (request) => 'got ' + new URL(request.url).pathname;` };

const callers = {
  node: {
    runtime: 'nodejs24',
    source: {
      inline: `export default async (request) => {
  const answer = await fetch(new URL(request.url).searchParams.get('url'));
  return answer.status + ' ' + await answer.text();
};`,
    },
  },
  python: {
    runtime: pythonName,
    source: {
      inline: `import urllib.error, urllib.request
def handler(request):
    try:
        with urllib.request.urlopen(request.query.url) as answer:
            return f"{answer.status} {answer.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"
`,
    },
  },
};

let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('orders', { source, visibility: 'internal', scale: { idleAfter: '1s' } });
  await api.waitReady('orders');
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await fetch(`${fnlet.endpoints.gateway}${path}`, { headers });
  return `${answer.status} ${await answer.text()}`;
}

test('from outside it is one that does not exist', async () => {
  for (const path of ['/default/orders/', '/async/default/orders/', '/-/routes/default/orders']) {
    assert.match(await get(path), /^404 No function answers at /, path);
  }
  const { status } = Object(
    await api.getJson('/apis/fnlet.dev/v1alpha1/namespaces/default/functions/orders'),
  );
  assert.equal(status.url, 'http://orders.default.svc.cluster.local');
});

test('fnlet call calls it all the same, for whoever may use the API', async () => {
  const echo = `export default async (request) => {
    const { pathname, search } = new URL(request.url);
    const told = [request.method, pathname + search, request.headers.get('x-told')];
    return new Response(told.join(' ') + ' ' + await request.text(), { status: 201 });
  };`;
  await api.applyFunction('echo', { source: { inline: echo }, visibility: 'internal' });
  await api.waitReady('echo');
  const flags = ['--path', '/a/b?c=d%20e', '-H', 'X-Told: yes', '-d', 'böse "{}" text'];
  const called = await fnlet.cli(['call', 'echo', ...flags, '--include']);
  assert.match(called.stdout, /^HTTP\/1.1 201 /, called.stderr);
  assert.match(called.stdout, /\n\nPOST \/a\/b\?c=d\+e yes böse "{}" text$/);
  const refused = await fnlet.cli(['call', 'echo', '-H', 'Authorization: Bearer x']);
  assert.match(refused.stderr, /Cannot call a Function that is internal: found the header Auth/);
});

/** What this caller gets from a URL. */
function callFrom(name: keyof typeof callers, url: string): Promise<string> {
  return get(`/default/${name}?url=${encodeURIComponent(url)}`);
}

async function tryCaller(name: keyof typeof callers): Promise<void> {
  await api.applyFunction(name, callers[name]);
  await api.waitReady(name);
  await until(async () => (await api.podsOf('orders')).length === 0, { what: 'it to sleep' });
  const answer = await callFrom(name, 'http://orders.default.svc.cluster.local/a');
  assert.equal(answer, '200 200 got /a');
  const outside = await callFrom(name, `${fnlet.endpoints.gateway}/default/orders/a`);
  assert.match(outside, /^200 404 /);
}

test('a function in TypeScript calls it by its names, and wakes it', async () => {
  await tryCaller('node');
  if (process.platform !== 'linux') return;
  assert.equal(await callFrom('node', 'http://orders/b'), '200 200 got /b');
});

test('a function in Python does so, too', needsPython, () => tryCaller('python'));

test("the API's proxy of its Service leads to it", async () => {
  const proxy = '/api/v1/namespaces/default/services/orders/proxy/deep/er';
  const { stdout, stderr } = await fnlet.kubectl(['get', '--raw', proxy]);
  assert.equal(stdout, 'got /deep/er', stderr);
});

test('a Trigger leads others to it, now or later, and its rules cannot be got around', async () => {
  const transport = createHttpTransport(
    await loadKubeconfig({ file: fnlet.endpoints.kubeconfig, env: {} }),
  );
  const type = { group: 'fnlet.dev', version: 'v1alpha1', kind: 'Trigger', plural: 'triggers' };
  const triggers = createClient(transport, { fieldManager: 'test' }).of<KubeObject>({
    ...type,
    namespaced: true,
  });
  const http = {
    paths: [{ prefix: '/shop' }],
    addresses: { deny: ['127.0.0.1/32'] },
  };
  const apply = (given: object): Promise<KubeObject> => {
    const metadata = { name: 'shop', namespace: 'default' };
    const spec = { source: { http: given }, target: { function: 'orders' } };
    const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger', metadata, spec };
    return triggers.apply(object, { force: true });
  };
  await apply(http);
  await until(async () => (await get('/shop/a')).startsWith('403'), { what: 'the rule to hold' });
  assert.match(await get('/default/orders/a'), /^404 /);
  const { addresses: _, ...open } = http;
  await apply(open);
  await until(async () => (await get('/shop/a')) === '200 got /shop/a', { what: 'to be let in' });
  const taken = await fetch(`${fnlet.endpoints.gateway}/shop/b`, {
    headers: { prefer: 'respond-async' },
  });
  assert.equal(taken.status, 202);
  const location = taken.headers.get('location') ?? '';
  await until(async () => (await get(`${location}/answer`)) === '200 got /shop/b', {
    what: 'the call that was to be answered later',
  });
  await transport.close();
});

test('it becomes external, and internal again, within a moment and without a new Revision', async () => {
  const before = await api.getFunction('orders');
  const spec = { source, scale: { idleAfter: '1s' } };
  await api.applyFunction('orders', spec);
  await until(async () => (await get('/default/orders')) === '200 got /', { what: 'to be let in' });
  await api.applyFunction('orders', { ...spec, visibility: 'internal' });
  await until(async () => (await get('/default/orders')).startsWith('404'), {
    what: 'it to close',
  });
  assert.equal((await api.getFunction('orders')).revision, before.revision);
});

test('a restart of Fnlet does not open it', async () => {
  const { dataDirectory } = fnlet;
  await fnlet.stop();
  fnlet = await startFnlet({ dataDirectory });
  assert.match(await get('/default/orders'), /^404 No function answers at /);
});
