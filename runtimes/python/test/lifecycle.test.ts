/** The life of a Runner: control channel, readiness, draining, logs, metrics. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { StartedRunner } from './started-runner.ts';

const waiting = {
  'handler.py': `
import threading
over = threading.Event()
def handler(request):
    if request.path == "/over":
        over.set()
    else:
        print("began")
        over.wait()
    return "done"`,
};

test('it listens before it has code and says when it is ready', needsPython, async () => {
  await using runner = StartedRunner.warm();
  const warm = await runner.nextReport();
  assert.ok(warm.type === 'warm' && warm.port > 0);
  assert.equal((await runner.call({ path: '/healthz' })).status, 200);
  assert.equal((await runner.call({ path: '/readyz' })).status, 503);
  assert.deepEqual((await runner.call()).status, 503);
  runner.send({ type: 'rehearse' });
  runner.specialise({ files: { 'handler.py': 'def handler(): return "x"' } });
  assert.deepEqual(await runner.nextReport(), { type: 'loading', file: 'handler.py' });
  assert.equal((await runner.nextReport()).type, 'ready');
  assert.equal((await runner.call({ path: '/readyz' })).status, 200);
  const answer = await fetch(`http://127.0.0.1:${warm.port}/`);
  assert.equal(await answer.text(), 'x');
});

test('a call that comes while the code loads waits for it', needsPython, async () => {
  await using runner = StartedRunner.warm();
  await runner.nextReport();
  runner.specialise({
    files: { 'handler.py': 'import time; time.sleep(0.1)\ndef main(e): return 1' },
  });
  assert.equal((await runner.nextReport()).type, 'loading');
  assert.equal((await runner.call()).body, '1');
});

test(
  'a module may run a loop of its own while it loads, and set up signals',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      files: {
        'handler.py': `
import asyncio, signal
async def prepare():
    return "prepared"
prepared = asyncio.run(prepare())
signal.signal(signal.SIGTERM, signal.SIG_IGN)
async def handler():
    return prepared`,
      },
    });
    assert.equal((await runner.call()).body, 'prepared');
    runner.process.kill('SIGTERM');
    assert.equal(await runner.exited(), 0);
  },
);

for (const [name, tell] of [
  ['SIGTERM', (runner: StartedRunner) => void runner.process.kill('SIGTERM')],
  ['the command', (runner: StartedRunner) => runner.send({ type: 'drain' })],
] as const) {
  test(
    `told to drain by ${name}, it finishes its calls and takes no other`,
    needsPython,
    async () => {
      await using runner = await StartedRunner.start({ files: waiting });
      const over = runner.request({ path: '/over', method: 'POST' });
      // What was sent before the drain is answered, also when the rest of it comes later.
      over.flushHeaders();
      const [socket] = await once(over, 'socket');
      await once(socket, 'connect');
      const call = runner.call();
      await runner.logged('began');
      tell(runner);
      while (existsSync(runner.socketPath)) await new Promise((resolve) => setImmediate(resolve));
      await assert.rejects(runner.call());
      over.end();
      const answer = await call;
      assert.deepEqual([answer.body, answer.headers.connection], ['done', 'close']);
      assert.equal(await runner.exited(), 0);
    },
  );
}

test('calls that do not end are cut off once the time to drain is over', needsPython, async () => {
  await using runner = await StartedRunner.start({ files: waiting, limits: { drainMs: 50 } });
  const call = runner.call();
  await runner.logged('began');
  runner.send({ type: 'drain' });
  await assert.rejects(call);
  assert.equal(await runner.exited(), 0);
});

test('it ends with its owner, and at a message that is none', needsPython, async () => {
  for (const [end, code] of [
    [(runner: StartedRunner) => void runner.control.destroy(), 0],
    [(runner: StartedRunner) => void runner.control.write('garbage\n'), 2],
    [(runner: StartedRunner) => void runner.control.write('{"type":"specialise"}\n'), 2],
  ] as const) {
    await using runner = StartedRunner.warm();
    await runner.nextReport();
    end(runner);
    assert.equal(await runner.exited(), code);
  }
});

test('what is printed is logged line by line with the call it is of', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.py': `
import asyncio, logging, sys
print("loaded", end="")
logging.basicConfig(level="INFO", format="%(levelname)s %(message)s")
async def handler(request, context):
    print("one\\ntwo", request.path)
    await asyncio.sleep(0)
    logging.info("through logging")
    context.log.info("structured", path=request.path)
    sys.stdout.buffer.write("bytés".encode())
    print(end="unfinished", file=sys.stderr)
def thread(request):
    print("from a thread")`,
    },
  });
  await Promise.all(
    ['first', 'second'].map((id) =>
      runner.call({ path: `/${id}`, headers: { 'x-request-id': `${id}-request` } }),
    ),
  );
  runner.send({ type: 'drain' });
  await runner.exited();
  for (const id of ['first', 'second']) {
    const lines = runner.log
      .split('\n')
      .filter((line) => line.startsWith(`[${id}-request`.slice(0, 9)));
    const texts = lines.map((line) => line.replace(/^\[[^\]]*\] /, '')).sort();
    assert.deepEqual(texts, [
      'INFO structured {"path": "/'.concat(id, '"}'),
      'INFO through logging',
      'bytés',
      'one',
      `two /${id}`,
      'unfinished',
    ]);
  }
  assert.match(runner.log, /^loaded$/m);
});

test('calls are counted and timed by method', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: { 'handler.py': 'def handler(request): return 1 / len(request.body)' },
  });
  await runner.call({ body: 'x' });
  await runner.call();
  await runner.call();
  await runner.call({ method: 'BREW' });
  const answer = await runner.call({ path: '/metrics' });
  assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  const lines = answer.body.split('\n');
  for (const line of [
    '# TYPE function_calls_total counter',
    'function_calls_total{method="POST"} 1',
    'function_calls_total{method="GET"} 2',
    'function_failures_total{method="POST"} 0',
    'function_failures_total{method="GET"} 2',
    'function_failures_total{method="OTHER"} 1',
    '# TYPE function_duration_seconds histogram',
    'function_duration_seconds_bucket{method="GET",le="+Inf"} 2',
    'function_duration_seconds_count{method="GET"} 2',
  ]) {
    assert.ok(lines.includes(line), `${line}\n${answer.body}`);
  }
});
