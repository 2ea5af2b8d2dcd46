/** What comes out when a handler fails, in each style; the Runner goes on in every case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { type Answer, StartedRunner } from './started-runner.ts';

const text = 'text/plain; charset=utf-8';
const html = 'text/html; charset=UTF-8';

/** Status, content type and body; a 500 that says nothing; or the connection breaks off. */
type Expected = readonly [status: number, type: string, body: string] | 'hidden' | 'broken';

/** What is evaluated -> answer in Fnlet's own styles, and where it differs in Kyma's and Kubeless's. */
const table: readonly (readonly [expression: string, own: Expected, theirs?: Expected])[] = [
  ['fail(ValueError("secret"))', 'hidden'],
  ['ValueError("secret")', 'hidden'],
  ['fail(TimeoutError("secret"))', 'hidden'],
  ['fail(Unprintable())', 'hidden'],
  ['fail(StopIteration("secret"))', 'hidden'],
  ['deep()', 'hidden'],
  // What ends a program must not end this one.
  ['sys.exit("secret")', 'hidden'],
  ['fail(KeyboardInterrupt())', 'hidden'],
  ['fail(asyncio.CancelledError())', 'hidden'],
  ['fail(GeneratorExit())', 'hidden'],
  ['fail(BaseExceptionGroup("secret", [ValueError("secret")]))', 'hidden'],
  // Somebody meant it.
  ['fail(HttpError(404, "none"))', [404, text, 'none']],
  ['HttpError(503, "busy")', [503, text, 'busy']],
  ['fail(HTTPError(404, "none"))', [404, html, 'none']],
  ['fail(HTTPResponse({"a": 1}, 409))', [409, 'application/json', '{"a": 1}']],
  // What has no text.
  ['{1, 2}', 'hidden'],
  ['object()', 'hidden'],
  ['int', 'hidden'],
  ['lambda: 1', 'hidden'],
  ['circular()', 'hidden'],
  ['{(1, 2): 3}', 'hidden'],
  ['"\\ud800"', 'hidden'],
  // JSON has no word for it, but Python has, which is what those platforms send.
  ['float("nan")', 'hidden', [200, 'application/json', 'NaN']],
  // What is no answer of HTTP, or would be two.
  ['("x", 700)', 'hidden'],
  ['("x", -1)', 'hidden'],
  ['("x", 200, 7)', 'hidden'],
  ['("x", 200, {"": "b"})', 'hidden'],
  ['("x", 200, {"a\\r\\nb": "c"})', 'hidden'],
  ['("x", 200, {"a": "b\\r\\nc: d"})', 'hidden'],
  ['Response("x", 999)', 'hidden'],
  ['Response("x", 200, {"a": "b\\r\\nc: d"})', 'hidden'],
  ['HTTPResponse("x", 999)', 'hidden'],
  // A stream of events has begun before its first event is there; a page has not.
  ['stream()', 'broken', 'hidden'],
  ['stream("a")', 'broken'],
  ['later()', 'broken', 'hidden'],
  ['later("a")', 'broken'],
];

const source = (style: string): string => `
import asyncio, sys
from bottle import HTTPError, HTTPResponse
from fnlet import HttpError, Response
class Unprintable(Exception):
    def __str__(self):
        raise ValueError("secret")
def fail(error):
    raise error
def deep():
    return deep()
def circular():
    own = []
    own.append(own)
    return own
def stream(*items):
    yield from items
    raise ValueError("secret")
async def later(*items):
    for item in items:
        yield item
    raise ValueError("secret")
values = [${table.map(([expression]) => `lambda: ${expression}`).join(',\n')}]
def handler(${style}):
    path = ${style}.path if hasattr(${style}, "path") else ${style}["extensions"]["request"].path
    return values[int(path[1:])]()
async def asynchronous(${style}):
    return handler(${style})`;

async function shape(call: Promise<Answer>): Promise<readonly unknown[] | 'broken'> {
  try {
    const { status, headers, body } = await call;
    return [status, headers['content-type'], body];
  } catch {
    return 'broken';
  }
}

for (const [style, compatibility] of [
  ['request', undefined],
  ['event', undefined],
  ['event', 'kyma'],
  ['event', 'kubeless'],
] as const) {
  const generic = compatibility === 'kyma' ? 'Internal server error' : 'Internal Server Error';
  for (const handler of ['handler', 'asynchronous']) {
    const name = `${handler}(${style})${compatibility === undefined ? '' : ` of ${compatibility}`}`;
    test(`${name} fails as it means to, and tells no secrets`, needsPython, async () => {
      await using runner = await StartedRunner.start({
        files: { 'handler.py': source(style) },
        handler,
        ...(compatibility === undefined ? {} : { compatibility }),
      });
      for (const [index, [expression, own, theirs = own]] of table.entries()) {
        const expected = compatibility === undefined ? own : theirs;
        const found = await shape(runner.call({ path: `/${index}` }));
        assert.deepEqual(
          found,
          expected === 'hidden' ? [500, text, generic] : expected,
          expression,
        );
      }
      await runner.logged('ValueError: secret');
      assert.match(runner.log, /File ".*handler\.py", line \d+, in fail/);
      assert.equal((await runner.call({ path: '/healthz' })).status, 200);
    });
  }
}

/** An app that fails at some point -> what its caller sees. */
const apps: readonly (readonly [name: string, source: string, Expected])[] = [
  [
    'ASGI, before it answers',
    'async def app(scope, receive, send):\n    raise ValueError("secret")',
    'hidden',
  ],
  ['ASGI, which never answers', 'async def app(scope, receive, send): pass', 'hidden'],
  [
    'ASGI, in its answer',
    `
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"x", "more_body": True})
    raise ValueError("secret")`,
    'broken',
  ],
  [
    'WSGI, before it answers',
    'def app(environ, start_response):\n    raise ValueError("secret")',
    'hidden',
  ],
  ['WSGI, which never answers', 'def app(environ, start_response): return []', 'hidden'],
  [
    'WSGI, in its answer',
    `
def app(environ, start_response):
    start_response("200 OK", [])
    yield b"x"
    raise ValueError("secret")`,
    'broken',
  ],
];

for (const [name, app, expected] of apps) {
  test(`an app fails: ${name}`, needsPython, async () => {
    await using runner = await StartedRunner.start({ files: { 'app.py': app } });
    const found = await shape(runner.call());
    const hidden = [500, text, 'Internal Server Error'];
    assert.deepEqual(found, expected === 'hidden' ? hidden : expected, runner.log);
    assert.equal((await runner.call({ path: '/healthz' })).status, 200);
  });
}
