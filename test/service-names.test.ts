/** Functions by name: through the API's proxy, and from one function to another. */
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

const target = {
  inline: `export default (request) => Response.json({
  path: new URL(request.url).pathname, host: request.headers.get('host'), via: request.headers.get('x-via') });`,
};

const caller = {
  inline: `import { get } from 'node:http';
const byHttp = (url) => new Promise((resolve, reject) => {
  get(url, { headers: { 'x-via': 'http' } }, (answer) => {
    answer.setEncoding('utf8');
    let text = '';
    answer.on('data', (part) => { text += part; });
    answer.on('end', () => resolve(text));
  }).on('error', reject);
});
export default async (request) => {
  const { searchParams } = new URL(request.url);
  const url = searchParams.get('url');
  try {
    return searchParams.has('http') ? await byHttp(url) : await (await fetch(url)).text();
  } catch (error) {
    return 'failed: ' + (error.cause?.code ?? error.code);
  }
};`,
};

const call = async (url: string, how = ''): Promise<string> => {
  const asked = `${fnlet.endpoints.gateway}/default/caller?url=${encodeURIComponent(url)}${how}`;
  return (await fetch(asked)).text();
};

const isAsleep = async (): Promise<boolean> => (await api.podsOf('other')).length === 0;

test('one function calls another by each of its names, and wakes it', async () => {
  await api.applyFunction('other', { source: target, scale: { idleAfter: '1s' } });
  await api.applyFunction('caller', { source: caller });
  await Promise.all([api.waitReady('other'), api.waitReady('caller')]);
  await until(isAsleep, { what: 'the function to sleep' });
  const whole = 'other.default.svc.cluster.local';
  for (const host of [
    whole,
    `${whole}:80`,
    `${whole}:8080`,
    'other.default.svc',
    'other.default',
  ]) {
    const answer = JSON.parse(await call(`http://${host}/a/b?c=1`));
    assert.deepEqual([answer.path, answer.host], ['/a/b', host.replace(/:80$/, '')], host);
  }
  assert.equal(JSON.parse(await call(`http://${whole}/x`, '&http=1')).via, 'http');
  if (process.platform !== 'linux') return;
  assert.equal(JSON.parse(await call('http://other/short')).path, '/short');
  assert.equal(JSON.parse(await call('http://other:8080/short', '&http=1')).host, 'other:8080');
});

test("names that are no Services are the system's", async () => {
  for (const host of ['no-such-name-here', 'none.default.svc.cluster.local']) {
    assert.match(await call(`http://${host}/`), /^failed: (ENOTFOUND|EAI_AGAIN)$/);
  }
  const { gateway } = fnlet.endpoints;
  const port = new URL(gateway).port;
  const local = JSON.parse(await call(`http://localhost:${port}/default/other/y`));
  assert.equal(local.path, '/y');
});

test('the proxy of its Service calls a function, and wakes it', async () => {
  await until(isAsleep, { what: 'the function to sleep' });
  for (const port of ['', ':80', ':http', ':8080']) {
    const path = `/api/v1/namespaces/default/services/other${port}/proxy/deep/er`;
    const answer = Object(await api.getJson(path));
    assert.equal(answer.path, '/deep/er');
    assert.equal(answer.host, 'other.default.svc.cluster.local');
  }
  const closed = api.getJson('/api/v1/namespaces/default/services/other:81/proxy/');
  const status = await closed.catch((error: unknown) => error);
  assert.match(JSON.stringify(status), /no service port 81 found/);
});
