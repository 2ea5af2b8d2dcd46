/** Services that are no Functions, inside functions: plain TCP to who answers for them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { OutsideTarget } from './outside-target.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
let api: TestApi;
let redis: RedisServer;
before(async () => {
  [fnlet, redis] = await Promise.all([startFnlet(), startRedisServer('secret')]);
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** As people say that a store outside the cluster answers for a Service. */
async function applyStore(name: string, port: number, fields: object = {}): Promise<void> {
  const ports = [{ name: 'redis', port: 6379 }];
  await api.applyCore('services', { kind: 'Service', name, spec: { ports, ...fields } });
  const subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'redis', port }] }];
  await api.applyCore('endpoints', { kind: 'Endpoints', name, subsets });
}

const inNode = `import { connect } from 'node:net';
export default (request) => new Promise((resolve) => {
  const [host, port] = new URL(request.url).searchParams.get('at').split(':');
  let text = '';
  connect({ host, port })
    .on('data', (part) => { text += part; })
    .on('end', () => resolve(text))
    .on('error', (error) => resolve(error.code))
    .end('AUTH secret\\r\\n'.replace(/^/, '*2\\r\\n$4\\r\\n').replace(' ', '\\r\\n$6\\r\\n'));
});`;

const inPython = `import asyncio, errno, socket

command = b"*2\\r\\n$4\\r\\nAUTH\\r\\n$6\\r\\nsecret\\r\\n"

async def by_asyncio(host, port):
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(command)
    writer.write_eof()
    return await reader.read()

def by_socket(host, port):
    with socket.create_connection((host, port)) as sock:
        sock.sendall(command)
        return sock.recv(100)

def handler(request):
    host, port = request.query.at.split(":")
    try:
        answer = by_socket(host, int(port))
        assert asyncio.run(by_asyncio(host, int(port))) == answer
        return answer.decode()
    except socket.gaierror:
        return "ENOTFOUND"
    except OSError as error:
        return errno.errorcode[error.errno]
`;

const languages = [
  { name: 'from-node', runtime: 'nodejs24', inline: inNode, needs: {} },
  { name: 'from-python', runtime: pythonName, inline: inPython, needs: needsPython },
];

for (const { name, runtime, inline, needs } of languages) {
  describe(`a function ${name.replace('-', ' ')}`, needs, () => {
    before(async () => {
      await api.applyFunction(name, { runtime, source: { inline } });
      await api.waitReady(name);
    });
    const connect = async (at: string): Promise<string> => {
      const url = `${fnlet.endpoints.gateway}/default/${name}?at=${at}`;
      return (await fetch(url)).text();
    };

    test('connects to a Service by each of its names, at its port', async () => {
      const store = `${name}-store`;
      await applyStore(store, redis.port);
      for (const host of [
        store,
        `${store}.default`,
        `${store}.default.svc`,
        `${store}.default.svc.cluster.local`,
      ]) {
        assert.equal(await connect(`${host}:6379`), '+OK\r\n', host);
      }
      assert.equal(await connect(`${store}:${redis.port}`), 'ECONNREFUSED');
    });

    test('connects to one Pod of a Service, as to one of a StatefulSet', async () => {
      const store = `${name}-db`;
      const spec = { clusterIP: 'None', ports: [{ name: 'redis', port: redis.port }] };
      await api.applyCore('services', { kind: 'Service', name: store, spec });
      const addresses = [{ ip: '127.0.0.1', hostname: `${store}-0` }];
      const subsets = [{ addresses, ports: [{ name: 'redis', port: redis.port }] }];
      await api.applyCore('endpoints', { kind: 'Endpoints', name: store, subsets });
      const at = (pod: string): string => `${pod}.${store}.default.svc.cluster.local:${redis.port}`;
      assert.equal(await connect(at(`${store}-0`)), '+OK\r\n');
      assert.equal(await connect(at(`${store}-1`)), 'ECONNREFUSED');
    });

    test('is refused while nobody is ready, and led to whoever is by then', async () => {
      const store = `${name}-later`;
      const ports = [{ port: 6379 }];
      await api.applyCore('services', { kind: 'Service', name: store, spec: { ports } });
      assert.equal(await connect(`${store}:6379`), 'ECONNREFUSED');
      await applyStore(store, redis.port);
      await until(async () => (await connect(`${store}:6379`)) === '+OK\r\n', {
        what: 'the endpoints to be known',
      });
    });

    test('follows the other name of a Service', async () => {
      const store = `${name}-other`;
      await applyStore(store, redis.port);
      const alias = (alias: string, externalName: string): Promise<void> =>
        api.applyCore('services', {
          ...{ kind: 'Service', name: alias, spec: { type: 'ExternalName', externalName } },
        });
      await alias(`${name}-alias`, `${store}.default.svc.cluster.local`);
      await alias(`${name}-outside`, 'localhost');
      await alias(`${name}-circle`, `${name}-circle.default.svc.cluster.local`);
      assert.equal(await connect(`${name}-alias:6379`), '+OK\r\n');
      assert.equal(await connect(`${name}-outside:${redis.port}`), '+OK\r\n');
      assert.equal(await connect(`${name}-circle:6379`), 'ECONNREFUSED');
    });
  });
}

test('a Trigger delivers to a Service by its name, once somebody answers for it', async () => {
  await using target = new OutsideTarget();
  target.isOpen = true;
  const port = Number(new URL(await target.listen()).port);
  await using stack = new AsyncDisposableStack();
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  const ports = [{ port: 80 }];
  await api.applyCore('services', { kind: 'Service', name: 'sink', spec: { ports } });
  const source = { cron: { schedule: '* * * * * *', data: 'now', missed: 'skip' } };
  const url = 'http://sink.default.svc.cluster.local/path';
  await triggers.apply('to-service', { source, target: { url }, delivery: { backoffDelay: '1s' } });
  const said = async (): Promise<string> => JSON.stringify(await triggers.status('to-service'));
  await until(async () => (await said()).includes('default/sink has nobody ready at port 80'), {
    what: 'the status to say that nobody answers',
  });
  const subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port }] }];
  await api.applyCore('endpoints', { kind: 'Endpoints', name: 'sink', subsets });
  await until(() => target.ids.length > 1, { what: 'events' });
  assert.deepEqual(new Set(target.hosts), new Set(['sink.default.svc.cluster.local']));
  await triggers.delete('to-service');
});

test('what a function scales by is read from a Service', async () => {
  const answer = { status: 'success', data: { resultType: 'scalar', result: [0, '2'] } };
  await api.applyFunction('prometheus', {
    source: { inline: `export default () => Response.json(${JSON.stringify(answer)});` },
  });
  await api.waitReady('prometheus');
  const url = 'http://prometheus.default.svc.cluster.local:9090';
  const metrics = [{ prometheus: { name: 'jobs', url, query: 'jobs', target: 1 } }];
  const source = { inline: 'export default () => 1;' };
  await api.applyFunction('worker', { source, scale: { min: 1, max: 5, metrics } });
  await until(async () => (await api.podsOf('worker')).length === 2, { what: 'two Instances' });
});

test('nobody outside is told where names lead', async () => {
  const asked = await fetch(`${fnlet.endpoints.gateway}/-/routes/default/from-node-store/6379`);
  assert.equal(asked.status, 404);
});
