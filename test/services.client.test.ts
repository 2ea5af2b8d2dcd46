/** A store in a Deployment, and functions that reach it by its Service, with clients of the trade. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  fnlet = await startFnlet({ args: ['--allow-host-commands'] });
  api = await createApi(fnlet.endpoints.kubeconfig);
  await applyStore();
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args, { input });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** A program of this machine as a Deployment with a selector Service, as a chart would have it. */
async function applyStore(): Promise<void> {
  const module = JSON.stringify(pathToFileURL(`${import.meta.dirname}/redis-server.ts`).href);
  const script = `const { startRedisServer } = await import(${module});
    await startRedisServer('secret', { host: process.env.POD_IP, port: 7000 });`;
  const podIp = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
  const container = {
    ...{ name: 'redis', image: 'redis:8', env: [podIp] },
    command: [process.execPath, '--input-type=module', '--eval', script],
    ports: [{ name: 'redis', containerPort: 7000 }],
    readinessProbe: { tcpSocket: { port: 'redis' }, periodSeconds: 1 },
  };
  const labels = { app: 'redis' };
  const items = [
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'redis' } },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'redis' } },
      spec: { selector: labels, ports: [{ port: 6379, targetPort: 'redis' }] },
    },
  ];
  await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await kubectl(['rollout', 'status', 'deployment/redis', '--timeout=60s']);
}

async function ask(name: string, query: string): Promise<string> {
  return (await fetch(`${fnlet.endpoints.gateway}/default/${name}?${query}`)).text();
}

test("npm's client of Redis reaches it, and again after its Pod was replaced", async () => {
  await api.applyFunction('with-npm', {
    dependencies: '{"dependencies": {"redis": "4.7.0"}}',
    source: {
      inline: `import { createClient } from 'redis';
export default async (request) => {
  const client = createClient({ url: 'redis://:secret@redis.default.svc.cluster.local:6379' });
  await client.on('error', (error) => console.log(error.message)).connect();
  try {
    const value = new URL(request.url).searchParams.get('set');
    if (value !== null) await client.set('key', value);
    return await client.get('key') ?? 'nothing';
  } finally {
    await client.disconnect();
  }
};`,
    },
  });
  await api.waitReady('with-npm');
  assert.equal(await ask('with-npm', 'set=one'), 'one');
  assert.equal(await ask('with-npm', ''), 'one');
  await kubectl(['rollout', 'restart', 'deployment/redis']);
  await kubectl(['rollout', 'status', 'deployment/redis', '--timeout=60s']);
  assert.equal(await ask('with-npm', ''), 'nothing');
});

test("so does Python's, blocking and in asyncio", needsPython, async () => {
  await api.applyFunction('with-pip', {
    runtime: pythonName,
    dependencies: 'redis==7.1.0\n',
    source: {
      inline: `import redis, redis.asyncio

place = {"host": "redis", "port": 6379, "password": "secret", "decode_responses": True}

async def read():
    async with redis.asyncio.Redis(**place) as client:
        return await client.get("key")

async def handler(request):
    with redis.Redis(**place) as client:
        client.set("key", request.query.set)
    return await read()
`,
    },
  });
  await api.waitReady('with-pip');
  assert.equal(await ask('with-pip', 'set=two'), 'two');
});
