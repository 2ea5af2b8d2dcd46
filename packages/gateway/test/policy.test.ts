import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { PolicyRequest, Verdict } from '../src/index.ts';
import { resolveGatewayLimits } from '../src/limits.ts';
import { eventually, gate, route, startRig, startWarmRig } from './rig.ts';

const get = 'GET /default/hello/a HTTP/1.1\r\nHost: x\r\n';
const forbidden: Verdict = {
  kind: 'refusal',
  answer: { status: 403, code: 'Nope', message: 'Not you', fields: [['X-Why', 'because']] },
};

/** A policy whose verdict the test gives. */
function heldPolicy(): {
  readonly policy: { admit(request: PolicyRequest): Promise<Verdict> };
  readonly asked: PolicyRequest[];
  readonly decide: (verdict: Verdict) => void;
  readonly fail: () => void;
} {
  const asked: PolicyRequest[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  const admit = (request: PolicyRequest): Promise<Verdict> => {
    asked.push(request);
    return promise;
  };
  return { policy: { admit }, asked, decide: resolve, fail: () => reject(new Error('bug')) };
}

test('a refusal is answered with its fields, and the connection goes on', async (t) => {
  const seen: string[] = [];
  const policy = {
    admit({ head, clientAddress }: PolicyRequest): Verdict {
      seen.push(`${head.method} ${head.target} of ${clientAddress}`);
      return forbidden;
    },
  };
  const rig = await startWarmRig(t, () => assert.fail('forwarded'), { route: { policy } });
  const client = rig.client();
  client.send(`${get}\r\nPOST /default/hello HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`);
  client.send(`GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const received = await client.untilEnd();
  assert.deepEqual(
    received.match(/HTTP\/1.1 \d+/g),
    ['403', '403', '404'].map((s) => `HTTP/1.1 ${s}`),
  );
  assert.match(received, /^HTTP\/1.1 403 Forbidden\r\n[\s\S]*?X-Why: because\r\n\r\nNot you/);
  assert.deepEqual(seen, ['GET /default/hello/a of 127.0.0.1', 'POST /default/hello of 127.0.0.1']);
});

test('a pass changes what the function and what the client get to see', async (t) => {
  const policy = {
    admit: (): Verdict => ({
      kind: 'pass',
      forward: { remove: new Set(['x-user', 'x-gone']), add: [['X-User', 'ann']] },
      answer: { remove: new Set(['x-secret']), add: [['X-Policy', 'yes']] },
    }),
  };
  let seen: readonly string[] = [];
  const rig = await startWarmRig(
    t,
    (incoming, answer) => {
      seen = incoming.rawHeaders;
      answer.writeHead(200, { 'X-Secret': '1', 'X-Other': '2' }).end('ok');
    },
    { route: { policy } },
  );
  const smuggled = 'x-USER: eve\r\nX_User: eve\r\nX-Gone: 1\r\nX-Stays: 1\r\nx_gone: 1\r\n';
  const answer = await rig.exchange(`${get}${smuggled}Connection: close\r\n\r\n`);
  assert.match(answer, /X-Other: 2\r\n/);
  assert.match(answer, /X-Policy: yes\r\n/);
  assert.doesNotMatch(answer, /X-Secret/);
  assert.doesNotMatch(seen.join(), /eve|gone/i);
  assert.match(seen.join(), /X-Stays,1,.*X-User,ann/);
});

test('what a pass adds stands on the answers of the Gateway itself, too', async (t) => {
  const answer = { remove: new Set<string>(), add: [['X-Policy', 'yes']] } as const;
  const policy = { admit: (): Verdict => ({ kind: 'pass', answer, bodyBytesMax: 2 }) };
  const rig = await startWarmRig(t, () => {}, { route: { policy } });
  const tooLarge = 'POST /default/hello HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc';
  rig.gateway.setRoute({ ...route({ function: 'never', policy }), revision: undefined });
  const unready = 'GET /default/never HTTP/1.1\r\nHost: x\r\n\r\n';
  const client = rig.client();
  client.send(`${tooLarge}${unready}GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const [, large = '', not = '', other = ''] = (await client.untilEnd()).split('HTTP/1.1 ');
  assert.match(large, /^413 [\s\S]*X-Policy: yes\r\n[\s\S]*larger than 2 bytes/);
  assert.match(not, /^503 [\s\S]*X-Policy: yes\r\n/);
  assert.match(other, /^404 (?![\s\S]*X-Policy)/);
});

test('while a policy decides nothing is forwarded and the body waits', async (t) => {
  const { policy, asked, decide } = heldPolicy();
  let calls = 0;
  const rig = await startWarmRig(
    t,
    async (incoming, answer) => {
      calls++;
      let bytes = 0;
      for await (const chunk of incoming) bytes += chunk.length;
      answer.end(`<${bytes}>`);
    },
    { route: { policy, bodyBytesMax: 2 ** 25 } },
  );
  const client = rig.client();
  client.send(`POST /default/hello HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 ** 25}\r\n\r\n`);
  await eventually(() => asked.length === 1);
  client.send('c'.repeat(2 ** 25));
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  // More than the sockets hold between them: the client has to wait.
  assert.ok(client.socket.writableLength > 0);
  assert.equal(calls, 0);
  decide({ kind: 'pass' });
  await client.until((text) => text.includes(`<${2 ** 25}>`));
});

test('requests that wait keep their order, and their bytes', async (t) => {
  const { policy, asked, decide } = heldPolicy();
  const rig = await startWarmRig(
    t,
    async (incoming, answer) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      answer.end(`<${incoming.url} ${body}>`);
    },
    { route: { policy } },
  );
  const client = rig.client();
  const post = 'POST /default/hello/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc';
  client.send(post);
  await eventually(() => asked.length === 1);
  client.send(`def${get}\r\nGET /default/hello/b HTTP/1.1\r\nHost: x\r\n`);
  client.send('Connection: close\r\n\r\n');
  decide({ kind: 'pass' });
  const received = await client.untilEnd();
  assert.deepEqual(received.match(/<[^>]*>/g), ['</1 abcdef>', '</a >', '</b >']);
});

test('a verdict that never comes is 503 after its time, and told to the policy', async (t) => {
  const clock = new VirtualClock();
  const { policy, asked, decide } = heldPolicy();
  const rig = await startWarmRig(t, () => assert.fail('forwarded'), { clock, route: { policy } });
  const client = rig.client();
  client.send(`${get}\r\n`);
  await eventually(() => asked.length === 1);
  const { signal } = asked[0] ?? assert.fail();
  await clock.advance(resolveGatewayLimits().admissionMs - 200);
  assert.equal(client.received, '');
  assert.equal(signal.aborted, false);
  await clock.advance(400);
  assert.match(
    await client.until((text) => text.includes('\n\n') || text.includes('\r\n\r\n')),
    /^HTTP\/1.1 503[\s\S]*Retry-After: 1/,
  );
  assert.equal(signal.aborted, true);
  decide({ kind: 'pass' });
  client.send('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.equal(
    (await client.untilEnd()).match(/HTTP\/1.1 \d+/g)?.join(),
    'HTTP/1.1 503,HTTP/1.1 404',
  );
});

test('a client that goes away ends the deciding', async (t) => {
  const { policy, asked, decide } = heldPolicy();
  const rig = await startWarmRig(t, () => assert.fail('forwarded'), { route: { policy } });
  const client = rig.client();
  client.send(`${get}\r\n`);
  await eventually(() => asked.length === 1);
  const aborted = gate();
  asked[0]?.signal.addEventListener('abort', aborted.open);
  client.socket.destroy();
  await aborted.opened;
  decide({ kind: 'pass' });
});

test('a policy that fails lets nobody through', async (t) => {
  const late = heldPolicy();
  const rig = await startRig(t, { route: { policy: late.policy } });
  const thrown = {
    admit(): Verdict {
      throw new Error('bug');
    },
  };
  rig.gateway.setRoute(route({ function: 'thrown', policy: thrown }));
  const client = rig.client();
  client.send(`${get}\r\nGET /default/thrown HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await eventually(() => late.asked.length === 1);
  late.fail();
  const received = await client.untilEnd();
  assert.deepEqual(received.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 500', 'HTTP/1.1 500']);
});
