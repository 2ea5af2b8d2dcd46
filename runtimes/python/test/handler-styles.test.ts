/** How handlers may be written; each with a real Runner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { StartedRunner, type StartOptions } from './started-runner.ts';

const styles: readonly (readonly [
  name: string,
  source: string,
  options?: Partial<StartOptions>,
])[] = [
  ['a function of a request', 'def handler(request): return request.path'],
  ['a function of nothing', 'def handler(): return "/a"'],
  ['an async function', 'async def handler(request, context): return request.path'],
  ['a lambda', 'handler = lambda request, context: request.path'],
  [
    'an instance with __call__',
    `
class Handler:
    def __call__(self, request, context):
        return request.path
handler = Handler()`,
  ],
  [
    'a method',
    `
class Api:
    prefix = ""
    async def get(self, request, context):
        return self.prefix + request.path
handler = Api().get`,
  ],
  [
    'a decorated function',
    `
import functools
def plain(call):
    @functools.wraps(call)
    def wrapped(*given):
        return call(*given)
    return wrapped
@plain
def handler(request, context):
    return request.path`,
  ],
  [
    'a plain function that returns something to await',
    `
import asyncio
async def later(request):
    await asyncio.sleep(0)
    return request.path
handler = lambda request, context: later(request)`,
  ],
  ['main(event, context)', 'def main(event, context): return event["extensions"]["request"].path'],
  ['a first parameter event', 'def handler(event, context): return event.req.path'],
  ['only the event', 'def handler(event): return event.req.path'],
  [
    'a name that the Function gives',
    'def greet(request, context): return request.path',
    { handler: 'greet' },
  ],
  [
    'ASGI',
    `
async def app(scope, receive, send):
    if scope["type"] != "http":
        raise NotImplementedError
    message = await receive()
    assert message == {"type": "http.request", "body": b"", "more_body": False}
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"b")]})
    await send({"type": "http.response.body", "body": scope["path"].encode(), "more_body": True})
    await send({"type": "http.response.body"})`,
  ],
  [
    'ASGI with a lifespan',
    `
state = {}
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        assert (await receive())["type"] == "lifespan.startup"
        scope["state"]["prefix"] = "/"
        await send({"type": "lifespan.startup.complete"})
        assert (await receive())["type"] == "lifespan.shutdown"
        print("shut down")
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": (scope["state"]["prefix"] + "a").encode()})`,
  ],
  [
    'WSGI',
    `
def application(environ, start_response):
    start_response("200 Fine", [("x-a", "b")])
    return [environ["PATH_INFO"].encode()]`,
  ],
  [
    'WSGI that begins late',
    `
def app(environ, start_response):
    write = start_response("200 OK", [("content-length", "2")])
    write(b"/")
    yield b"a"`,
  ],
];

for (const [name, source, options] of styles) {
  test(`a handler may be ${name}`, needsPython, async () => {
    await using runner = await StartedRunner.start({ files: { 'handler.py': source }, ...options });
    const answer = await runner.call({ path: '/a' });
    assert.deepEqual([answer.status, answer.body], [200, '/a'], runner.log);
  });
}

test(
  'files of the source import each other, by path and within packages',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      handler: 'api.users.get',
      files: {
        'shared.py': 'def greet(name): return "Hello " + name',
        'api/__init__.py': '',
        'api/names.py': 'default = "you"',
        'api/users.py': `
from shared import greet
from . import names
def get(request, context):
    return greet(names.default)`,
      },
    });
    assert.equal((await runner.call()).body, 'Hello you');
  },
);

test('a lifespan ends when the Instance drains', needsPython, async () => {
  const source = styles.find(([name]) => name === 'ASGI with a lifespan')?.[1] ?? '';
  await using runner = await StartedRunner.start({ files: { 'app.py': source } });
  runner.send({ type: 'drain' });
  assert.equal(await runner.exited(), 0);
  assert.match(runner.log, /^shut down$/m);
});

test(
  'packages are found beside the source, before the doors of the Runner',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      files: {
        'site-packages/shouting/__init__.py': 'def shout(text): return text.upper()',
        'site-packages/bottle.py': 'request = "of the package"',
        'handler.py': `
from shouting import shout
from bottle import request
def handler():
    return shout(request)`,
      },
    });
    assert.equal((await runner.call()).body, 'OF THE PACKAGE');
  },
);

test('the environment is exactly what the Function declares', needsPython, async () => {
  await using runner = await StartedRunner.start({
    env: { GREETING: 'hé', TZ: 'Asia/Tokyo' },
    files: {
      'handler.py': `
import os, time, sys
def handler():
    return {"env": dict(os.environ), "zone": time.tzname[0], "cwd": os.listdir(), "argv": sys.argv}`,
    },
  });
  const answer = JSON.parse((await runner.call()).body);
  assert.deepEqual(answer.env, { GREETING: 'hé', TZ: 'Asia/Tokyo' });
  assert.equal(answer.zone, 'JST');
  assert.deepEqual(answer.cwd, ['handler.py']);
});
