/** Calls that take too long, that fail, that are too large, whose caller goes away. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { type Answer, StartedRunner } from './started-runner.ts';

function shape({ status, body }: Answer): readonly [number, string] {
  return [status, body];
}

test(
  'a sync handler that takes too long is answered 408 and stopped; its siblings go on',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      limits: { timeoutMs: 300 },
      files: {
        'handler.py': `
import time
def handler(request, context):
    if request.path == "/fast":
        return "fast"
    try:
        while not context.cancelled or True:
            time.sleep(0.005)
    finally:
        print("stopped")`,
      },
    });
    const slow = runner.call({ path: '/slow', headers: { 'x-request-id': 'slow-call' } });
    assert.equal((await runner.call({ path: '/fast' })).body, 'fast');
    const answer = await slow;
    assert.deepEqual(shape(answer), [408, 'Request Timeout']);
    assert.equal(answer.headers['x-request-id'], 'slow-call');
    await runner.logged('[slow-cal] stopped\n');
    assert.match(runner.log, /\[slow-cal\] Call cancelled: found no answer after 300 ms\n/);
    assert.doesNotMatch(runner.log, /Traceback/);
    assert.equal((await runner.call({ path: '/fast' })).status, 200);
  },
);

test(
  'an async handler that takes too long is answered 408 and cancelled',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      limits: { timeoutMs: 100 },
      files: {
        'handler.py': `
import asyncio
async def handler(request):
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cancelled")
        raise`,
      },
    });
    assert.deepEqual(shape(await runner.call()), [408, 'Request Timeout']);
    await runner.logged('cancelled\n');
    assert.doesNotMatch(runner.log, /Traceback/);
  },
);

test('blocked handlers do not keep others, or a health check, waiting', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.py': `
import threading
over = threading.Event()
def handler(request):
    if request.path == "/over":
        over.set()
        return "over"
    over.wait()
    return "waited"`,
    },
  });
  const blocked = Array.from({ length: 40 }, () => runner.call());
  assert.equal((await runner.call({ path: '/healthz' })).body, 'ok');
  assert.equal((await runner.call({ path: '/over' })).body, 'over');
  for (const answer of await Promise.all(blocked)) assert.equal(answer.body, 'waited');
});

test('an Instance with too many threads that do not end is replaced', needsPython, async () => {
  await using runner = await StartedRunner.start({
    limits: { timeoutMs: 50 },
    files: {
      'handler.py': `
import threading
def handler():
    threading.Event().wait()`,
    },
  });
  const answers = await Promise.all(Array.from({ length: 17 }, () => runner.call()));
  for (const answer of answers) assert.equal(answer.status, 408);
  assert.equal(await runner.exited(), 1);
  assert.match(runner.log, /Too many calls do not end .* this Instance is replaced/);
});

test(
  'what a handler raises is answered, and its stack logged without frames of the Runner',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      files: {
        'handler.py': `
from fnlet import HttpError
class Upstream(Exception):
    status = 404
def handler(request):
    match request.path:
        case "/known": raise HttpError(409, "taken")
        case "/upstream": raise Upstream("secret")
        case "/exit": raise SystemExit(3)
        case "/bad": return object()
        case "/header": return "x", 200, {"a": "b\\nc: d"}
        case "/status": return "x", 99
        case "/json": return request.json()
    raise KeyError("inner") from ValueError("outer")`,
      },
    });
    assert.deepEqual(shape(await runner.call({ path: '/known' })), [409, 'taken']);
    assert.doesNotMatch(runner.log, /taken/);
    for (const path of ['/', '/upstream', '/exit', '/bad', '/header', '/status']) {
      const answer = await runner.call({ path });
      assert.deepEqual(shape(answer), [500, 'Internal Server Error'], path);
      assert.match(answer.headers['x-request-id']?.toString() ?? '', /^\d+$/);
    }
    assert.match(runner.log, /ValueError: outer[\s\S]*KeyError: 'inner'/);
    assert.match(runner.log, /\] {3}File ".*\/source\/handler.py", line 14, in handler\n/);
    assert.doesNotMatch(runner.log, /fnlet_runner\//);
    const malformed = await runner.call({ path: '/json', body: '{' });
    assert.equal(malformed.status, 400);
    assert.match(malformed.body, /^Cannot read the request body as JSON: /);
  },
);

test(
  'a body that is too large is answered 413, declared or not, and its sender hears it',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      limits: { bodyBytesMax: 1000 },
      files: { 'handler.py': 'def handler(request): return str(len(request.body))' },
    });
    const large = 'x'.repeat(300_000);
    assert.deepEqual(shape(await runner.call({ body: large })), [413, 'Payload Too Large']);
    const headers = { 'transfer-encoding': 'chunked' };
    assert.deepEqual(shape(await runner.call({ body: large, headers })), [
      413,
      'Payload Too Large',
    ]);
    assert.deepEqual(shape(await runner.call({ body: 'x'.repeat(1000) })), [200, '1000']);
    assert.deepEqual(shape(await runner.call({ body: 'x'.repeat(999), headers })), [200, '999']);
  },
);

test('a handler learns that its caller went away', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.py': `
import time
def handler(request, context):
    print("began")
    while not context.cancelled:
        time.sleep(0.002)
    print("told")`,
    },
  });
  const request = runner.request();
  request.on('error', () => {});
  request.end();
  await runner.logged('began');
  request.destroy();
  await runner.logged('told');
});

test(
  'a stream is sent as it is made, goes on beyond the timeout and stops with its reader',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      limits: { timeoutMs: 100 },
      files: {
        'handler.py': `
import asyncio, time
def handler(request):
    if request.path == "/silent":
        return silent()
    return lively() if request.path == "/sync" else lively_async()
def lively():
    try:
        while True:
            yield "tick"
            time.sleep(0.002)
    finally:
        print("sync over")
async def lively_async():
    try:
        while True:
            yield {"id": 1, "data": "tick"}
            await asyncio.sleep(0.002)
    finally:
        print("async over")
def silent():
    yield "one"
    time.sleep(3600)`,
      },
    });
    for (const path of ['/sync', '/async']) {
      const request = runner.request({ path });
      request.end();
      const [response] = await once(request, 'response');
      assert.match(response.headers['content-type'], /^text\/event-stream/, runner.log);
      let ticks = 0;
      // Each slow call takes the timeout, so that the stream outlasts it.
      for await (const chunk of response.setEncoding('utf8')) {
        ticks += String(chunk).split('data: tick\n\n').length - 1;
        if (ticks > 60) break;
      }
      request.destroy();
      await runner.logged(`${path.slice(1)} over`);
    }
    const silent = runner.request({ path: '/silent' });
    silent.end();
    const [response] = await once(silent, 'response');
    await assert.rejects(async () => {
      for await (const _ of response);
    });
    assert.match(runner.log, /Call cancelled: found nothing more of its answer after 100 ms/);
  },
);

test(
  'a stream that fails at once is a clean 500, later a broken connection',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      compatibility: 'kyma',
      files: {
        'handler.py': `
def main(event, context):
    if event.req.path == "/later":
        yield "some"
    raise ValueError("no more")`,
      },
    });
    assert.equal((await runner.call()).status, 500);
    await assert.rejects(runner.call({ path: '/later' }));
    assert.match(runner.log, /ValueError: no more[\s\S]*ValueError: no more/);
  },
);

test(
  'a handler has processes of its own work for it, however they start',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      files: {
        'handler.py': `
import multiprocessing

def double(number, queue):
    queue.put(number * 2)

def handler(request, context):
    ways = multiprocessing.get_context(request.path[1:])
    queue = ways.SimpleQueue()
    process = ways.Process(target=double, args=(21, queue))
    process.start()
    answer = queue.get()
    process.join()
    return str(answer)`,
      },
    });
    for (const way of ['spawn', 'forkserver', 'fork']) {
      assert.deepEqual(shape(await runner.call({ path: `/${way}` })), [200, '42'], way);
    }
  },
);

test('a pool of processes that is ended ends nobody else', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.py': `
import multiprocessing, os, signal

def double(number):
    return number * 2

def handler(request, context):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        doubled = pool.map(double, [1, 2])
    child = os.fork()
    if child == 0:
        signal.pause()
    os.kill(child, signal.SIGTERM)
    return str([doubled, os.WTERMSIG(os.waitpid(child, 0)[1])])`,
    },
  });
  for (let count = 0; count < 20; count++) {
    assert.deepEqual(shape(await runner.call({})), [200, '[[2, 4], 15]']);
  }
  assert.equal((await runner.call({ path: '/readyz' })).status, 200);
});
