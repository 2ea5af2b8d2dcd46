/**
 * What the modules around Kyma's Functions rely on, as its own test program looks at it: the proxy
 * of Services, CloudEvents in and out, headers of traces, a repository that is pushed to.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, before, test } from 'node:test';
import { startGitServer } from '../packages/executor/test/git-server.ts';
import { kubectlProgram } from './fnlet-process.ts';
import { type KymaClients, startKymaClients } from './kyma-clients.ts';
import { until } from './until.ts';

let kyma: KymaClients;
before(async () => {
  kyma = await startKymaClients();
});
after(() => kyma[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };

test('a Function is called by the proxy of its Service, and woken by it', async () => {
  const source = `module.exports = { main: (event) => {
    const { request, response } = event.extensions;
    response.append('set-cookie', 'a=1').append('set-cookie', 'b=2');
    return { method: request.method, path: request.url, data: event.data };
  } };`;
  await kyma.run({ name: 'proxied', source, spec: { replicas: 0 } });
  const env = { ...process.env, KUBECONFIG: kyma.fnlet.endpoints.kubeconfig };
  const proxy = spawn(kubectlProgram(), ['proxy', '--port=0'], { env });
  try {
    const [said] = await once(proxy.stdout, 'data');
    const address = /[\d.]+:\d+/.exec(String(said))?.[0];
    const service = `http://${address}/api/v1/namespaces/default/services/proxied:80/proxy`;
    const got = await fetch(`${service}/`, { headers: { accept: 'text/html' } });
    assert.deepEqual(await got.json(), { method: 'GET', path: '/' });
    assert.deepEqual(got.headers.getSetCookie(), ['a=1', 'b=2']);
    const asWritten = await fetch(`${service}/x?flag&a=%20`);
    assert.deepEqual(await asWritten.json(), { method: 'GET', path: '/x?flag&a=%20' });
    const body = JSON.stringify({ a: 1 });
    const posted = await fetch(`${service}/x?y=1`, { method: 'POST', headers: json, body });
    assert.deepEqual(await posted.json(), { method: 'POST', path: '/x?y=1', data: { a: 1 } });
  } finally {
    proxy.kill();
  }
});

const publisher = `let published;
module.exports = { main: (event) => {
  const { request } = event.extensions;
  if (request.method === 'POST' && request.path === '/publish') published = request.body;
  return published;
} };`;

const eventFunction = `const seen = {};
module.exports = { main: async (event) => {
  const { request } = event.extensions;
  if (request.method === 'GET') return seen[request.query.type];
  delete event.extensions;
  if (event['ce-type'] === undefined) {
    await event.emitCloudEvent('send-check', 'function', event.data, { eventtypeversion: 'v1alpha2' });
    return 'sent';
  }
  seen[event['ce-type']] = JSON.parse(JSON.stringify(event));
} };`;

test('CloudEvents arrive, structured and binary, and leave for the publisher by its name', async () => {
  const namespace = 'kyma-system';
  await kyma.kubectl('create', 'namespace', namespace);
  await kyma.run(
    { name: 'eventing-publisher-proxy', namespace, source: publisher },
    { name: 'events', source: eventFunction },
  );
  const attributes = { type: 'structured-check', source: 'test', id: '1', specversion: '1.0' };
  const event = { ...attributes, eventtypeversion: 'v1alpha2', data: { hello: 'structured' } };
  const structured = { 'content-type': 'application/cloudevents+json' };
  const post = (headers: Record<string, string>, body: object): Promise<string> =>
    kyma.answer('events', '', { method: 'POST', headers, body: JSON.stringify(body) });
  await post(structured, event);
  const got = JSON.parse(await kyma.answer('events', '?type=structured-check'));
  assert.deepEqual(got.data, { hello: 'structured' });
  assert.deepEqual([got['ce-source'], got['ce-eventtypeversion']], ['test', 'v1alpha2']);
  const binary = { ...json, 'ce-type': 'binary-check', 'ce-source': 'test', 'ce-id': '2' };
  await post({ ...binary, 'ce-specversion': '1.0' }, { hello: 'binary' });
  const second = JSON.parse(await kyma.answer('events', '?type=binary-check'));
  assert.deepEqual([second.data, second['ce-id']], [{ hello: 'binary' }, '2']);
  assert.equal(await post(json, { hello: 'out' }), 'sent');
  const sent = JSON.parse(await kyma.answer(`eventing-publisher-proxy.${namespace}`));
  assert.match(sent.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.ok(!Number.isNaN(Date.parse(sent.time)), sent.time);
  const { type, source, specversion, eventtypeversion, data } = sent;
  assert.deepEqual(
    { type, source, specversion, eventtypeversion, data },
    {
      type: 'send-check',
      source: 'function',
      specversion: '1.0',
      eventtypeversion: 'v1alpha2',
      data: { hello: 'out' },
    },
  );
});

test('a trace goes on in the calls of a function, in the headers of W3C and of B3', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const source = `const axios = require('axios');
      module.exports = { main: async () => (await axios('http://127.0.0.1:${port}/')).data };`;
    const dependencies = { name: 'traced', dependencies: { axios: '0.26.1' } };
    await kyma.run({ name: 'traced', source, dependencies });
    const headers = { 'X-B3-Sampled': '1' };
    assert.equal(await kyma.answer('traced', '', { headers }), 'ok');
    const [outgoing = {}] = seen;
    for (const name of ['traceparent', 'x-b3-traceid', 'x-b3-spanid']) {
      assert.match(String(outgoing[name]), /^[0-9a-f-]{16,}$/, name);
    }
  } finally {
    server.close();
  }
});

test('what is pushed to a repository in the cluster answers, and the status shows the commit', async () => {
  await using server = await startGitServer();
  // As Kyma's own suite names its server.
  const host = 'gitserver.default.svc.cluster.local';
  await kyma.apply(
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'gitserver' } },
      spec: { ports: [{ name: 'http', port: 80 }] },
    },
    {
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
      metadata: { name: 'gitserver', labels: { 'kubernetes.io/service-name': 'gitserver' } },
      endpoints: [{ addresses: ['127.0.0.1'] }],
      ports: [{ name: 'http', port: Number(new URL(server.url).port) }],
    },
  );
  const code = (text: string): Record<string, string> => ({
    'fn/handler.js': `module.exports = { main: () => '${text}' };`,
    'fn/package.json': '{}',
  });
  server.commit('code.git', code('GITOPS 1'));
  const url = `http://${host}:80/code.git`;
  const gitRepository = { url, baseDir: '/fn/', reference: 'main' };
  await kyma.run({ name: 'gitops', spec: { source: { gitRepository } } });
  assert.equal(await kyma.answer('gitops'), 'GITOPS 1');
  const commit = server.commit('code.git', code('GITOPS 2'));
  const synced = await kyma.fnlet.cli(['sync', 'gitops']);
  assert.equal(synced.code, 0, synced.stderr);
  assert.equal(await kyma.answer('gitops'), 'GITOPS 2');
  const path = 'jsonpath={.status.gitRepository.commit} {.status.commit}';
  const shown = (): Promise<string> => kyma.kubectl('get', 'fns', 'gitops', '-o', path);
  await until(async () => (await shown()) === `${commit} ${commit}`, { what: 'the commit' });
});
