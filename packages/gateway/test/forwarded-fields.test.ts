/** What functions are told about who asked, by clients, proxies and those inside. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseTrustedProxies } from '../src/index.ts';
import { type Rig, startWarmRig } from './rig.ts';

const told = /^(?:forwarded|x[-_](?:forwarded|real|fnlet)[-_].*)$/;

/** A Gateway whose function answers with what it was told, and whom that Gateway believes. */
async function startTelling(t: TestContext, proxies = '0'): Promise<Rig> {
  const trustedProxies = parseTrustedProxies(proxies);
  assert.ok(trustedProxies !== undefined);
  const rig = await startWarmRig(
    t,
    ({ headers }, answer) => {
      const pairs = Object.entries(headers).filter(([name]) => told.test(name));
      answer.end(JSON.stringify(Object.fromEntries(pairs)));
    },
    { gateway: { trustedProxies } },
  );
  return rig;
}

async function ask(port: number, fields: Readonly<Record<string, string>>): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}/default/hello`, { headers: fields });
  return answer.json();
}

const forged = {
  'X-Forwarded-For': '6.6.6.6, 192.0.2.1',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'evil.example',
  'X-Forwarded-Port': '444',
  'X-Forwarded-Prefix': '/evil',
  'X-Real-IP': '6.6.6.6',
  Forwarded: 'for=6.6.6.6;host=evil.example;proto=https',
  // One variable with the real one, to WSGI and CGI.
  x_forwarded_for: '6.6.6.6',
  X_Real_IP: '6.6.6.6',
};

for (const trusted of [undefined, '10.0.0.0/8']) {
  test(`a client tells functions nothing about who asks; trusted: ${trusted}`, async (t) => {
    const { port } = await startTelling(t, trusted);
    assert.deepEqual(await ask(port, forged), {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': `127.0.0.1:${port}`,
      'x-forwarded-proto': 'http',
    });
  });
}

test('a trusted proxy is believed, but not in what the client had told it', async (t) => {
  const { port } = await startTelling(t, '127.0.0.1');
  assert.deepEqual(await ask(port, forged), {
    forwarded: forged.Forwarded,
    'x-forwarded-for': '192.0.2.1, 127.0.0.1',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-port': '444',
    'x-forwarded-prefix': '/evil',
    'x-forwarded-proto': 'https',
    'x-real-ip': '6.6.6.6',
  });
});

test('those inside say for whom they ask', async (t) => {
  const { gateway } = await startTelling(t);
  const { port } = await gateway.listenInside({ host: '127.0.0.1', port: 0 });
  const told = { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' };
  assert.deepEqual(await ask(port, { ...told, 'X-Forwarded-Host': 'shop.example' }), {
    'x-forwarded-for': '192.0.2.1, 127.0.0.1',
    'x-forwarded-host': 'shop.example',
    'x-forwarded-proto': 'https',
  });
});

test('a call for later tells what was believed when it came', async (t) => {
  const { gateway } = await startTelling(t);
  const call = {
    ...{ namespace: 'default', function: 'hello', method: 'GET', target: '/x' },
    headers: [
      ['x-forwarded-for', '192.0.2.1'],
      ['x-forwarded-proto', 'https'],
      ['X-Forwarded-Port', '444'],
      ['X-Fnlet-Parameters', 'id=7'],
    ] as const,
    ...{ body: Buffer.alloc(0), remoteAddress: '10.0.0.9' },
    ...{ answerBytesMax: 1000, timeoutMs: 10_000 },
  };
  const outcome = await gateway.invoke(call, new AbortController().signal);
  assert.ok('body' in outcome);
  assert.deepEqual(JSON.parse(Buffer.from(outcome.body).toString()), {
    'x-fnlet-parameters': 'id=7',
    'x-forwarded-for': '192.0.2.1, 10.0.0.9',
    'x-forwarded-host': 'hello.default',
    'x-forwarded-port': '444',
    'x-forwarded-proto': 'https',
  });
});
