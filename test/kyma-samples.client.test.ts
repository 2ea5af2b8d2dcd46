/** Larger samples of Kyma, with what stands around them: a store, a publisher, a service. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { startGitServer } from '../packages/executor/test/git-server.ts';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi } from './api-access.ts';
import { type KymaClients, startKymaClients } from './kyma-clients.ts';
import { startRedisServer } from './redis-server.ts';
import { until } from './until.ts';

let kyma: KymaClients;
before(async () => {
  kyma = await startKymaClients();
});
after(() => kyma[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };

const restSource = `const { createClient } = require('redis');
const connect = async () => {
  const { REDIS_HOST: host, REDIS_PORT: port, REDIS_PASSWORD: password } = process.env;
  const client = createClient({ password, socket: { host, port } });
  client.on('error', (error) => console.log('Redis', error));
  await client.connect();
  return client;
};
const verbs = {
  async GET(client, key, { response }) {
    const value = await client.get(key);
    if (!value) { response.status(404); return null; }
    return JSON.parse(value);
  },
  async POST(client, key, { request, response }) {
    if (await client.get(key)) return void response.status(409);
    await client.set(key, JSON.stringify(request.body));
    response.status(201);
  },
  async DELETE(client, key, { response }) {
    await client.del(key);
    response.status(204);
  },
};
module.exports = { main: async function ({ extensions }, _) {
  const client = await connect();
  try {
    const key = extensions.request.path.substring(1);
    if (key === '') { extensions.response.status(400); return { error: 'path is required' }; }
    return await verbs[extensions.request.method](client, key, extensions);
  } finally {
    await client.disconnect();
  }
} };`;

test('a store behind REST, with the password of a Secret', async () => {
  await using redis = await startRedisServer('secret');
  await kyma.apply({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'my-redis' } },
    stringData: { 'redis-password': 'secret' },
  });
  // Outside the cluster, but known inside by the name that the chart of Redis gives it.
  const metadata = { name: 'my-redis-master' };
  await kyma.apply(
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 6379 }] } },
    {
      ...{ apiVersion: 'v1', kind: 'Endpoints', metadata },
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: redis.port }] }],
    },
  );
  const secretKeyRef = { name: 'my-redis', key: 'redis-password' };
  const env = [
    { name: 'REDIS_HOST', value: 'my-redis-master.default.svc.cluster.local' },
    { name: 'REDIS_PORT', value: '6379' },
    { name: 'REDIS_PASSWORD', valueFrom: { secretKeyRef } },
  ];
  const dependencies = { dependencies: { redis: '4.7.0' } };
  await kyma.run({ name: 'rest-fn', source: restSource, dependencies, spec: { env, replicas: 1 } });
  const ask = async (method: string, path = 'foo', body?: string): Promise<unknown[]> => {
    const request = body === undefined ? { method } : { method, body, headers: json };
    const response = await kyma.call('rest-fn', path, request);
    return [response.status, await response.text()];
  };
  assert.deepEqual(await ask('POST', 'foo', '{"a":1}'), [201, '']);
  assert.deepEqual(await ask('POST', 'foo', '{"a":2}'), [409, '']);
  assert.deepEqual(await ask('GET'), [200, '{"a":1}']);
  assert.deepEqual(await ask('DELETE'), [204, '']);
  assert.deepEqual(await ask('GET'), [404, '']);
  assert.deepEqual(await ask('GET', ''), [400, '{"error":"path is required"}']);
});

test('events within the cluster: one Function emits, another receives', async () => {
  await using git = await startGitServer();
  const packages = (dependencies: object): string => JSON.stringify({ name: 'fn', dependencies });
  git.commit('serverless.git', {
    'src/emitter-fn/package.json': packages({ '@opentelemetry/api': '^1.0.4' }),
    'src/emitter-fn/handler.js': `const { SpanStatusCode } = require('@opentelemetry/api');
      module.exports = { main: async function (event, context) {
        const span = event.tracer.startSpan('call-to-kyma-eventing');
        return await event.emitCloudEvent(process.env.EVENT_TYPE, process.env.EVENT_SOURCE, event.data)
          .then(() => {
            span.addEvent('Event sent');
            span.setAttribute('event-type', process.env.EVENT_TYPE);
            span.setStatus({ code: SpanStatusCode.OK });
            return 'Event sent';
          })
          .catch((error) => {
            span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
            return error.message;
          })
          .finally(() => span.end());
      } };`,
    'src/receiver-fn/package.json': packages({}),
    'src/receiver-fn/handler.js': `module.exports = { main: function (event, context) {
        console.log('storing', event.data, event['ce-type']);
        return 'Stored';
      } };`,
  });
  const from = (directory: string): object => ({
    gitRepository: { url: `${git.url}/serverless.git`, baseDir: directory, reference: 'main' },
  });
  const env = [
    { name: 'EVENT_TYPE', value: 'payload.sanitised' },
    { name: 'EVENT_SOURCE', value: 'my-app' },
  ];
  const rule = { path: '/*', methods: ['GET', 'POST'], noAuth: true };
  await kyma.apply(
    {
      ...{ apiVersion: 'gateway.kyma-project.io/v2alpha1', kind: 'APIRule' },
      metadata: { name: 'incoming-http-trigger', namespace: 'default' },
      spec: {
        hosts: ['incoming'],
        service: { name: 'event-emitter', namespace: 'default', port: 80 },
        gateway: 'kyma-system/kyma-gateway',
        rules: [rule],
      },
    },
    {
      ...{ apiVersion: 'eventing.kyma-project.io/v1alpha2', kind: 'Subscription' },
      metadata: { name: 'event-receiver', namespace: 'default' },
      spec: {
        source: 'my-app',
        types: ['payload.sanitised'],
        sink: 'http://event-receiver.default.svc.cluster.local',
      },
    },
  );
  await kyma.run(
    { name: 'event-receiver', spec: { source: from('/src/receiver-fn/') } },
    { name: 'event-emitter', spec: { source: from('/src/emitter-fn/'), env } },
  );
  const is = (path: string): string => `--for=jsonpath=${path}`;
  await kyma.kubectl('wait', is('{.status.ready}=true'), 'subscription/event-receiver');
  await kyma.kubectl('wait', is('{.status.state}=Ready'), 'apirule/incoming-http-trigger');
  const body = JSON.stringify({ paid: 7 });
  assert.equal(await postTo('incoming', body), 'Event sent');
  const logs = async (): Promise<string> => {
    const { stdout } = await kyma.fnlet.cli(['logs', 'event-receiver']);
    return stdout;
  };
  const stored = await until(async () => /storing .*/.exec(await logs())?.[0], {
    what: 'the event in the log of the receiver',
  });
  assert.equal(stored, 'storing { paid: 7 } payload.sanitised');
});

/** What is answered at the root of a host; fetch sends no Host of its own. */
async function postTo(host: string, body: string): Promise<string> {
  const headers = { ...json, host };
  const sending = request(kyma.fnlet.endpoints.gateway, { method: 'POST', headers });
  sending.end(body);
  const [response] = await once(sending, 'response');
  return text(response);
}

test('a ScaledObject of KEDA has a Function as large as it says, while it is there', async () => {
  const source = "module.exports = { main: function (event, context) { return 'Hello World!'; } }";
  await kyma.run({ name: 'scaled-function', source, dependencies: '', spec: { replicas: 1 } });
  const metadata = { name: 'scaled-function' };
  const apiVersion = 'serverless.kyma-project.io/v1alpha2';
  await kyma.apply({
    ...{ apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata },
    spec: {
      scaleTargetRef: { apiVersion, kind: 'Function', ...metadata },
      ...{ minReplicaCount: 3, maxReplicaCount: 4 },
      triggers: [{ type: 'cpu', metricType: 'Utilization', metadata: { value: '50' } }],
    },
  });
  await kyma.kubectl('wait', '--for=condition=Ready', 'scaledobject/scaled-function');
  const replicas = ['get', 'fns', 'scaled-function', '-o', 'jsonpath={.status.replicas}'];
  const reaches = (count: string): Promise<boolean> =>
    until(async () => (await kyma.kubectl(...replicas)) === count, {
      ...{ what: `${count} Instances`, timeoutMs: 60_000 },
    });
  await reaches('3');
  assert.equal(await kyma.answer('scaled-function'), 'Hello World!');
  // One that comes back is another object, which nobody has told anything.
  await kyma.kubectl('delete', 'fns', 'scaled-function');
  await kyma.run({ name: 'scaled-function', source, dependencies: '', spec: { replicas: 1 } });
  await reaches('3');
  await kyma.kubectl('delete', 'scaledobject', 'scaled-function');
  await reaches('1');
});

test('a Function with a runtime image of its own is run by its runtime, and says so', async () => {
  const source = "module.exports = { main: function (event, context) { return 'Hello World!'; } }";
  const spec = { runtimeImageOverride: 'example.dev/custom-runtime:1' };
  await kyma.run({ name: 'own-image', source, spec });
  assert.equal(await kyma.answer('own-image'), 'Hello World!');
  const path = 'jsonpath={.status.conditions[?(@.type=="ConfigurationReady")].message}';
  const message = await kyma.kubectl('get', 'fns', 'own-image', '-o', path);
  assert.match(
    message,
    /image example[.]dev\/custom-runtime:1 is not run here, runtime nodejs24 is/,
  );
});

test("packages of Kyma's image are there without being declared", async () => {
  const service = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"name":"C-3PO"}');
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  try {
    const address = service.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/people/2`;
    const source = `const { SpanStatusCode } = require("@opentelemetry/api");
      const axios = require("axios")
      module.exports = { main: async function (event, context) {
        const span = event.tracer.startSpan('call-to-service');
        const { status, data } = await axios.get('${url}');
        span.addEvent("read");
        span.setAttribute("id", '2');
        span.setStatus({ code: status === 200 ? SpanStatusCode.OK : SpanStatusCode.ERROR });
        span.end();
        return data;
      } }`;
    await kyma.run({ name: 'traced', source, dependencies: '' });
    assert.equal(await kyma.answer('traced'), '{"name":"C-3PO"}');
  } finally {
    service.close();
  }
});

test('a form is sent on to a service, with a key from a Secret', needsPython, async () => {
  const api = await createApi(kyma.fnlet.endpoints.kubeconfig);
  try {
    // Another function, called by its name as in a cluster.
    await api.applyFunction('image-api', {
      source: {
        inline: `export default async (request) => ({
          key: request.headers.get('api-key'), text: /\\r\\n\\r\\n(.*)\\r\\n/.exec(await request.text())[1],
        });`,
      },
    });
    const url = 'http://image-api.default.svc.cluster.local/api/text2img';
    await kyma.apply({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'image-secret' } },
      stringData: { URL: url, 'API-KEY': 'my key' },
    });
    const variable = (key: string): object => ({
      ...{ name: key, valueFrom: { secretKeyRef: { name: 'image-secret', key } } },
    });
    // Kyma's own kind asks for Python 3.12; any will do for the code. It declares no packages.
    await api.applyFunction('text2img', {
      ...{ runtime: pythonName, compatibility: 'kyma', handler: 'handler.main' },
      env: [variable('URL'), variable('API-KEY')],
      source: {
        inline: [
          'import requests',
          'import os',
          'from bottle import HTTPResponse',
          '',
          'def main(event, context):',
          "    text = event['extensions']['request'].params.get('text')",
          '    if not text:',
          `        return HTTPResponse(body={'"text" parameter is mandatory'}, status=400)`,
          "    headers = {'api-key': os.getenv('API-KEY')}",
          "    response = requests.post(os.getenv('URL'), files={'text': text}, headers=headers)",
          '    return response.json()',
        ].join('\n'),
      },
    });
    await api.waitReady('text2img');
    const refused = await kyma.call('text2img');
    assert.deepEqual(
      [refused.status, await refused.text()],
      [400, '"text" parameter is mandatory'],
    );
    const request = { method: 'POST', body: new URLSearchParams({ text: 'a cat' }) };
    const answer = await kyma.answer('text2img', '', request);
    assert.deepEqual(JSON.parse(answer), { key: 'my key', text: 'a cat' });
  } finally {
    await api.close();
  }
});

test('a HorizontalPodAutoscaler scales a Function, as it would a Deployment', async () => {
  const source = "module.exports = { main: function (event, context) { return 'Hello World!'; } }";
  await kyma.run({ name: 'scaled', source, spec: { replicas: 1 } });
  await kyma.apply({
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
    metadata: { name: 'scaled' },
    spec: {
      scaleTargetRef: {
        apiVersion: 'serverless.kyma-project.io/v1alpha2',
        ...{ kind: 'Function', name: 'scaled' },
      },
      ...{ minReplicas: 3, maxReplicas: 4 },
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    },
  });
  const replicas = ['get', 'fns', 'scaled', '-o', 'jsonpath={.spec.replicas} {.status.replicas}'];
  await until(async () => (await kyma.kubectl(...replicas)) === '3 3', {
    ...{ what: 'as many Instances as the autoscaler wants at least', timeoutMs: 60_000 },
  });
  assert.equal(await kyma.answer('scaled'), 'Hello World!');
});
