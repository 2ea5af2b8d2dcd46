import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { formatMetrics } from '@fnlet/base';
import type { Invocation, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import { eventually, type Rig, type RigOptions, revision, startRig, startWarmRig } from './rig.ts';

const quiet = new AbortController().signal;

function invocation(overrides: Partial<Invocation> = {}): Invocation {
  return {
    namespace: 'default',
    function: 'hello',
    method: 'GET',
    target: '/',
    headers: [],
    body: new Uint8Array(),
    remoteAddress: '192.0.2.1',
    answerBytesMax: 1024,
    timeoutMs: 10_000,
    ...overrides,
  };
}

async function answered(rig: Rig, overrides: Partial<Invocation>): Promise<InvocationAnswer> {
  const outcome = await rig.gateway.invoke(invocation(overrides), quiet);
  assert(outcome.kind === 'answered', `answered, not ${JSON.stringify(outcome)}`);
  return outcome;
}

async function failed(rig: Rig, overrides: Partial<Invocation> = {}): Promise<InvocationFailure> {
  const outcome = await rig.gateway.invoke(invocation(overrides), quiet);
  assert(outcome.kind === 'failed', `failed, not ${JSON.stringify(outcome)}`);
  return outcome;
}

function echoRig(t: TestContext): Promise<Rig> {
  return startWarmRig(t, async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    response.setHeader('X-Own', ['a', 'b']);
    response.statusCode = 201;
    const body = Buffer.concat(chunks).toString();
    response.end(JSON.stringify({ method, url, headers, body }));
  });
}

test('invoke() calls a function without a connection, and brings its whole answer', async (t) => {
  const rig = await echoRig(t);
  const answer = await answered(rig, {
    method: 'POST',
    target: '/a?b=c',
    headers: [
      ['X-Given', '1'],
      ['x-request-id', 'mine'],
      ['x-forwarded-for', '198.51.100.7'],
      ['Content-Length', '999'],
      ['Expect', '100-continue'],
    ],
    body: Buffer.from('body'),
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.truncated, false);
  assert.deepEqual(
    answer.headers.filter(([name]) => name === 'X-Own'),
    [
      ['X-Own', 'a'],
      ['X-Own', 'b'],
    ],
  );
  const seen = JSON.parse(Buffer.from(answer.body).toString());
  assert.equal(seen.method, 'POST');
  assert.equal(seen.url, '/a?b=c');
  assert.equal(seen.body, 'body');
  assert.equal(seen.headers.host, 'hello.default');
  assert.equal(seen.headers['x-given'], '1');
  assert.equal(seen.headers['x-request-id'], 'mine');
  assert.equal(seen.headers['x-forwarded-for'], '198.51.100.7, 192.0.2.1');
  assert.equal(seen.headers['content-length'], '4');
});

test('invoke() reads answers in chunks, without a length, without a body', async (t) => {
  const rig = await startWarmRig(t, (request, response) => {
    if (request.url === '/none') response.writeHead(204).end();
    else if (request.url === '/until-end') {
      response.socket?.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end');
    } else {
      response.write('one ');
      response.end('two');
    }
  });
  const bodyOf = async (target: string, method = 'GET'): Promise<string> =>
    Buffer.from((await answered(rig, { target, method })).body).toString();
  assert.equal(await bodyOf('/'), 'one two');
  assert.equal(await bodyOf('/until-end'), 'until the end');
  assert.equal(await bodyOf('/none'), '');
  assert.equal(await bodyOf('/', 'HEAD'), '');
});

test('invoke() keeps of a long answer what is wanted, and reads the rest', async (t) => {
  let over = false;
  const rig = await startWarmRig(t, (_, response) => {
    response.on('finish', () => {
      over = true;
    });
    response.end('x'.repeat(500_000));
  });
  const answer = await answered(rig, { answerBytesMax: 3 });
  assert.equal(Buffer.from(answer.body).toString(), 'xxx');
  assert.equal(answer.truncated, true);
  assert.equal(over, true);
});

test('invoke() wakes a function that sleeps, as demand', async (t) => {
  const woken: string[] = [];
  const options: RigOptions = { onDemand: (id) => woken.push(id), route: { wakeMs: 10_000 } };
  const rig = await startRig(t, options);
  const outcome = answered(rig, {});
  await eventually(() => woken.length > 0);
  assert.equal(rig.gateway.demandOf(revision).queued, 1);
  rig.gateway.setEndpoints(revision, [await rig.instance((_, response) => response.end('awake'))]);
  assert.equal(Buffer.from((await outcome).body).toString(), 'awake');
});

test('invoke() tells what the Gateway says, and whether the function may have run', async (t) => {
  const rig = await startWarmRig(t, (request, response) => {
    if (request.url === '/cut') response.socket?.destroy();
    else response.write('half', () => response.socket?.destroy());
  });
  const missing = await failed(rig, { function: 'gone' });
  assert.deepEqual(
    [missing.status, missing.reason, missing.reached],
    [404, 'RouteNotFound', false],
  );
  const cut = await failed(rig, { method: 'POST', target: '/cut' });
  assert.deepEqual([cut.status, cut.reason, cut.reached], [502, 'InstanceGone', true]);
  const half = await failed(rig, {});
  assert.deepEqual([half.status, half.reason, half.reached], [502, 'AnswerCut', true]);
  const large = await failed(rig, { method: 'POST', body: new Uint8Array(2 * 1024 * 1024) });
  assert.deepEqual([large.status, large.reached], [413, false]);
  rig.gateway.setEndpoints(revision, [], {
    reason: 'Crashed',
    message: 'again',
    retryAfterMs: 60_000,
  });
  const outage = await failed(rig);
  assert.deepEqual(
    [outage.reason, outage.reached, outage.retryAfterMs],
    ['Crashed', false, 60_000],
  );
});

test('invoke() gives up at the time that it was given, and when its signal aborts', async (t) => {
  let begun = 0;
  let closed = 0;
  const rig = await startWarmRig(t, (_, response) => {
    begun++;
    response.on('close', () => {
      closed++;
    });
  });
  const late = await failed(rig, { timeoutMs: 1 });
  assert.deepEqual([late.status, late.reason, late.reached], [504, 'CallTimeout', true]);
  assert.equal(late.message, 'There was no whole answer within 1 ms');
  const abort = new AbortController();
  const outcome = rig.gateway.invoke(invocation(), abort.signal);
  await eventually(() => begun === 2);
  abort.abort();
  const aborted = await outcome;
  assert(aborted.kind === 'failed');
  assert.equal(aborted.reason, 'CallAborted');
  await eventually(() => closed === 2);
});

test('invoke() blames no Instance for less time than its route has', async (t) => {
  const rig = await startRig(t, { limits: { sweepMs: 1 } });
  const silent = [await rig.instance(() => {}), await rig.instance(() => {})];
  rig.gateway.setEndpoints(revision, silent);
  for (let call = 0; call < 20; call++) await failed(rig, { timeoutMs: 1 });
  const metrics = formatMetrics(rig.gateway.metrics());
  assert.match(metrics, /\nfnlet_requests_in_flight\{/);
  assert.doesNotMatch(metrics, /\nfnlet_ejections_total\{.*\} [^0]/);
});

test('invoke() knows that what no Instance was there for has not run', async (t) => {
  const rig = await startRig(t, { limits: { sweepMs: 1 }, route: { timeoutMs: 5 } });
  for (const timeoutMs of [1, 10_000]) {
    const { status, reason, reached } = await failed(rig, { timeoutMs });
    assert.deepEqual([status, reason, reached], [504, 'CallTimeout', false]);
  }
});

test('invoke() lets nothing into a head that does not belong there', async (t) => {
  const rig = await echoRig(t);
  for (const overrides of [
    { target: '/ HTTP/1.1\r\nX-Evil: 1\r\nX:' },
    { target: 'http://elsewhere/' },
    { method: 'GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET' },
    { method: 'BREW' },
    { headers: [['X', 'a\r\nX-Evil: 1']] as const },
    { headers: [['X: 1\r\nX-Evil', '1']] as const },
    { headers: [['X', '\u{1F600}']] as const },
  ]) {
    const { reason, reached } = await failed(rig, overrides);
    assert.deepEqual([reason, reached], ['BadRequest', false]);
  }
});

test('a Gateway that closes aborts the calls from within', async (t) => {
  const rig = await startWarmRig(t, () => {});
  const outcome = rig.gateway.invoke(invocation(), quiet);
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 1);
  await rig.gateway.close({ graceMs: 0 });
  const aborted = await outcome;
  assert(aborted.kind === 'failed');
  assert.equal(aborted.reason, 'CallAborted');
});
