import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { PolicyRequest, Verdict } from '../src/index.ts';
import { parseTrustedProxies } from '../src/index.ts';
import { eventually, type Rig, type RigOptions, revision, route, startWarmRig } from './rig.ts';

interface Logged {
  readonly rig: Rig;
  /** What was written about each request, in order. */
  readonly entries: Record<string, unknown>[];
}

async function logged(
  t: TestContext,
  listener: RequestListener,
  options: RigOptions = {},
): Promise<Logged> {
  const entries: Record<string, unknown>[] = [];
  const accessLog = { write: (line: string) => void entries.push(JSON.parse(line)) };
  return {
    rig: await startWarmRig(t, listener, {
      ...options,
      gateway: { ...options.gateway, accessLog },
    }),
    entries,
  };
}

const pick = (entry: Record<string, unknown> | undefined, ...names: string[]): unknown[] =>
  names.map((name) => entry?.[name]);

test('a line says who asked whom for what, and what came of it', async (t) => {
  const { rig, entries } = await logged(t, (incoming, answer) => {
    incoming.resume();
    incoming.on('end', () => answer.writeHead(201).end('done'));
  });
  const answer = await rig.exchange(
    'POST /default/hello/a?token=secret HTTP/1.1\r\nHost: Shop.example.com\r\nX-Request-Id: r1\r\n' +
      'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n' +
      'Authorization: Bearer secret\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
  );
  const [entry] = entries;
  assert.deepEqual(pick(entry, 'client', 'method', 'host', 'path', 'status', 'complete'), [
    '127.0.0.1',
    'POST',
    'Shop.example.com',
    '/default/hello/a',
    201,
    true,
  ]);
  assert.deepEqual(pick(entry, 'namespace', 'function', 'revision'), [
    'default',
    'hello',
    'hello-1',
  ]);
  assert.deepEqual(pick(entry, 'requestId', 'traceId', 'consumer', 'wakeMs'), [
    'r1',
    '0af7651916cd43dd8448eb211c80319c',
    undefined,
    undefined,
  ]);
  assert.deepEqual(pick(entry, 'bytesIn', 'bytesOut'), [3, answer.length]);
  assert.match(String(entry?.time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  for (const name of ['durationMs', 'queueMs', 'upstreamMs']) {
    assert.equal(typeof entry?.[name], 'number', name);
  }
  assert.ok(Number(entry?.durationMs) >= Number(entry?.upstreamMs));
  assert.doesNotMatch(JSON.stringify(entry), /secret/);
});

test('requests that no function answers are in it, and each once', async (t) => {
  const admit = ({ head }: PolicyRequest): Verdict =>
    head.fields.kept.includes('X-Ann')
      ? { kind: 'pass', consumer: 'ann' }
      : { kind: 'refusal', answer: { status: 401, code: 'No', message: 'No' } };
  const { rig, entries } = await logged(t, (_, answer) => answer.end(), {
    route: { policy: { admit } },
  });
  rig.gateway.setRoute({ ...route({ function: 'never' }), revision: undefined });
  const client = rig.client();
  const get = (path: string, field = 'A: 1'): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${field}\r\n\r\n`;
  client.send(get('/default/hello') + get('/default/hello', 'X-Ann: 1') + get('/default/never'));
  client.send(get('/nowhere', 'Connection: close'));
  await client.untilEnd();
  assert.deepEqual(
    entries.map((entry) => pick(entry, 'path', 'status', 'consumer', 'complete')),
    [
      ['/default/hello', 401, undefined, true],
      ['/default/hello', 200, 'ann', true],
      ['/default/never', 503, undefined, true],
      ['/nowhere', 404, undefined, true],
    ],
  );
});

test('a call that waits for an Instance says how long, one that is cut that it is', async (t) => {
  const { rig, entries } = await logged(t, () => {}, { route: { wakeMs: 10_000 } });
  const endpoint = await rig.instance((_, answer) => answer.end('.'));
  rig.gateway.setEndpoints(revision, []);
  const waiting = rig.client();
  waiting.send('GET /default/hello HTTP/1.1\r\nHost: x\r\n\r\n');
  await eventually(() => rig.gateway.demandOf(revision).queued === 1);
  rig.gateway.setEndpoints(revision, [endpoint]);
  await eventually(() => entries.length === 1);
  assert.ok(Number(entries[0]?.wakeMs) > 0);
  assert.ok(Number(entries[0]?.queueMs) >= Number(entries[0]?.wakeMs));

  rig.gateway.setEndpoints(revision, [
    await rig.instance((_, answer) => void answer.write('a part')),
  ]);
  const leaving = rig.client();
  leaving.send('GET /default/hello/long HTTP/1.1\r\nHost: x\r\n\r\n');
  await leaving.until((received) => received.includes('a part'));
  leaving.socket.destroy();
  await eventually(() => entries.length === 2);
  assert.deepEqual(pick(entries[1], 'path', 'status', 'complete'), [
    '/default/hello/long',
    200,
    false,
  ]);
});

test('the client is whom trusted proxies speak for', async (t) => {
  const trustedProxies = parseTrustedProxies('127.0.0.0/8') ?? assert.fail();
  const { rig, entries } = await logged(t, (_, answer) => answer.end(), {
    gateway: { trustedProxies },
  });
  await rig.exchange(
    'GET /default/hello HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 6.6.6.6, 192.0.2.1\r\n' +
      'Connection: close\r\n\r\n',
  );
  assert.equal(entries[0]?.client, '192.0.2.1');
});
