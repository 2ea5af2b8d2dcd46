/** The contract of docs/runtime-contract.md, run against any Runner. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { type CallVector, checkCall, readVectors } from './call-vectors-contract.ts';
import {
  type Answer,
  type CallOptions,
  type RunnerProgram,
  RunnerUnderContract,
  readAnswer,
  type StartOptions,
} from './runner-under-contract.ts';

/** A Runner, and functions in its language that behave as the contract's function does. */
export interface ContractSubject {
  readonly name: string;
  readonly program: RunnerProgram;
  /** Sources and handler of a function that does what `vectors/calls.json` says, and more below. */
  readonly contractFunction: StartOptions;
  /** Sources that do not parse; the error lies in this file and line. */
  readonly broken: StartOptions & { readonly file: string; readonly line: number };
  /** Sources that load but do not export the handler. */
  readonly withoutHandler: StartOptions;
}

const variable = '$HOME `x` ü';
const limits = { timeoutMs: 1000, bodyBytesMax: 1000, drainMs: 3000 };

/**
 * Beside the vectors the contract's function does this:
 *
 * - /wait writes the line `waiting` to its standard output and never answers;
 * - /hold writes the line `holding`, waits until somebody calls /release, and returns `held`;
 * - /release lets all of them go on, and returns `released`.
 */
export function runnerContract(subject: ContractSubject): void {
  const { name, program, contractFunction } = subject;
  const options: StartOptions = { ...contractFunction, env: { CONTRACT: variable }, limits };
  const start = (more: Partial<StartOptions> = {}): Promise<RunnerUnderContract> =>
    RunnerUnderContract.start(program, { ...options, ...more });

  test(`${name}: listens on both addresses, and says so, before it has code`, async () => {
    await using runner = new RunnerUnderContract(program);
    const report = await runner.nextReport();
    assert.ok(report.type === 'warm' && report.port > 0);
    const states = async (): Promise<number[]> => {
      const paths = ['/healthz', '/readyz', '/text'];
      const calls = paths.flatMap((path) => [runner.call({ path }), overTcp(report.port, path)]);
      return (await Promise.all(calls)).map(({ status }) => status);
    };
    assert.deepEqual(await states(), [200, 200, 503, 503, 503, 503]);
    const { headers } = await runner.call({ path: '/text' });
    assert.equal(headers['x-fnlet-unloaded'], '1', 'who sent it may send it elsewhere');
    runner.specialise(options);
    const loaded = await runner.outcome();
    assert.ok(loaded.type === 'ready' && loaded.loadMs >= 0, JSON.stringify(loaded));
    assert.deepEqual(await states(), [200, 200, 200, 200, 200, 200]);
  });

  test(`${name}: takes no notice of a rehearsal, or rehearses`, async () => {
    await using runner = new RunnerUnderContract(program);
    await runner.nextReport();
    runner.send({ type: 'rehearse' });
    runner.specialise(options);
    assert.equal((await runner.outcome()).type, 'ready');
    assert.equal((await runner.call({ path: '/text' })).body, 'hi ü');
  });

  test(`${name}: says where code is broken, and which handler it did not find`, async () => {
    const { file, line, ...broken } = subject.broken;
    const failure = await RunnerUnderContract.fail(program, broken);
    assert.deepEqual([failure.code, failure.file, failure.line], ['SyntaxError', file, line]);
    const missing = await RunnerUnderContract.fail(program, subject.withoutHandler);
    assert.equal(missing.code, 'MissingExport');
    assert.match(missing.message, /^Cannot .*: found .*, expected /);
    const empty = await RunnerUnderContract.fail(program, { ...options, files: {} });
    assert.equal(empty.code, 'EntryNotFound');
  });

  let shared: RunnerUnderContract;
  before(async () => {
    shared = await start();
  });
  after(() => shared[Symbol.asyncDispose]());

  for (const vector of readVectors<CallVector>('calls.json')) {
    test(`${name}: a call: ${vector.name}`, () => checkCall(shared, vector));
  }

  test(`${name}: cancels the call that takes too long, and no other`, async () => {
    const late = shared.call({ path: '/wait', headers: { 'x-request-id': 'late' } });
    await shared.logged('waiting');
    assert.equal((await shared.call({ path: '/text' })).body, 'hi ü');
    const { status, body, headers } = await late;
    assert.deepEqual([status, body, headers['x-request-id']], [408, 'Request Timeout', 'late']);
    assert.equal((await shared.call({ path: '/text' })).status, 200);
  });

  test(`${name}: counts calls, failures and durations by method`, async () => {
    await using runner = await start();
    for (const path of ['/text', '/throw', '/status']) await runner.call({ path });
    await runner.call({ path: '/bytes', method: 'POST', body: 'x' });
    await runner.call({ path: '/bytes', method: 'POST', body: 'x'.repeat(2000) });
    const { headers, body } = await runner.call({ path: '/metrics' });
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    const sample = (text: string): number => sampleOf(body, text);
    assert.equal(sample('function_calls_total{method="GET"}'), 3);
    assert.equal(sample('function_calls_total{method="POST"}'), 2);
    assert.equal(sample('function_failures_total{method="GET"}'), 1);
    assert.equal(sample('function_duration_seconds_count{method="GET"}'), 3);
    assert.equal(sample('function_duration_seconds_bucket{method="GET",le="+Inf"}'), 3);
    assert.ok(sample('function_duration_seconds_sum{method="GET"}') > 0);
    assert.match(body, /^# TYPE function_duration_seconds histogram$/m);
  });

  test(`${name}: logs its calls when it is told to`, async () => {
    const env = { CONTRACT: variable, FNLET_ACCESS_LOG: 'true' };
    await using runner = await start({ env });
    const headers = { 'user-agent': 'a "b"', referer: '/from', 'x-forwarded-for': '192.0.2.1' };
    await runner.call({ path: '/text?q', headers });
    await runner.logged('"GET /text?q HTTP/1.1" 200 5 "/from" "a \\"b\\""\n');
    assert.match(runner.log, /^192\.0\.2\.1 - - \[\d\d\/\w{3}\/\d{4}:[\d:]{8} \+0000\] "GET /m);
    await runner.call({ path: '/throw' });
    await runner.logged('"GET /throw HTTP/1.1" 500 21 "-" "-"\n');
  });

  const ways: Readonly<Record<string, (runner: RunnerUnderContract) => void>> = {
    'the command drain': (runner) => runner.send({ type: 'drain' }),
    SIGTERM: (runner) => void runner.process.kill('SIGTERM'),
  };
  for (const [way, drain] of Object.entries(ways)) {
    test(`${name}: on ${way} it finishes the calls in flight and exits with 0`, async () => {
      await using runner = await start({ limits: { ...limits, timeoutMs: 20_000 } });
      const held = runner.request({ path: '/hold' });
      held.end();
      await runner.logged('holding');
      const release = await connected(runner, { path: '/release' });
      drain(runner);
      release.end();
      assert.equal((await readAnswer(held)).body, 'held');
      assert.equal(await runner.exited(), 0);
    });
  }

  test(`${name}: cuts off what is still in flight when the time to drain is over`, async () => {
    await using runner = await start({ limits: { ...limits, timeoutMs: 20_000, drainMs: 50 } });
    const held = runner.call({ path: '/hold' }).catch(() => 'cut off');
    await runner.logged('holding');
    runner.send({ type: 'drain' });
    await held;
    assert.equal(await runner.exited(), 0);
  });

  test(`${name}: ends with 2 when its owner talks nonsense`, async () => {
    await using runner = new RunnerUnderContract(program);
    await runner.nextReport();
    runner.control.write('{"type":"unheard of"}\n');
    assert.equal(await runner.exited(), 2);
  });

  test(`${name}: answers many calls at a time, and several on one connection`, async () => {
    await using runner = await start({ limits: { ...limits, timeoutMs: 20_000 } });
    const held = Array.from({ length: 20 }, () => runner.call({ path: '/hold' }));
    while (runner.log.split('holding').length <= held.length) await runner.logs();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    for (const path of ['/text', '/json', '/release']) {
      const request = http.get({ socketPath: runner.socketPath, agent, path });
      assert.equal((await readAnswer(request)).status, 200);
      assert.equal(request.reusedSocket, path !== '/text');
    }
    agent.destroy();
    for (const { body } of await Promise.all(held)) assert.equal(body, 'held');
  });

  test(`${name}: ends when its owner is gone`, async () => {
    await using runner = await start();
    runner.control.destroy();
    await runner.exited();
  });
}

async function overTcp(port: number, path: string): Promise<Answer> {
  return readAnswer(http.get({ port, path, agent: false }));
}

// A request whose head is on its way, so that a drain that begins now has to answer it.
async function connected(
  runner: RunnerUnderContract,
  options: CallOptions,
): Promise<http.ClientRequest> {
  const request = runner.request({ ...options, method: 'POST' });
  request.on('response', (response) => response.resume());
  // Its answer may come, and the connection end, before the rest of it is sent.
  request.on('error', () => {});
  request.write('x');
  const [socket] = await once(request, 'socket');
  if (socket.connecting) await once(socket, 'connect');
  return request;
}

function sampleOf(text: string, name: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  assert.ok(line !== undefined, `found no ${name} in\n${text}`);
  return Number(line.slice(name.length + 1));
}
