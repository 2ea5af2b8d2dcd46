/** What comes out of return values, with their types on the wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { type Answer, StartedRunner } from './started-runner.ts';

function shape({ status, headers, body }: Answer): readonly unknown[] {
  return [status, headers['content-type'], body];
}

const events = 'text/event-stream; charset=utf-8';
const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';
const octets = 'application/octet-stream';
const html = 'text/html; charset=UTF-8';

/** Return value -> answer of `(request)`, of `(event)`, of a Kyma or Kubeless function. */
const table: readonly (readonly [
  string,
  readonly unknown[],
  readonly unknown[],
  readonly unknown[],
])[] = [
  ['None', [204, undefined, ''], [200, undefined, ''], [200, html, '']],
  ['"é"', [200, text, 'é'], [200, undefined, 'é'], [200, html, 'é']],
  ['""', [200, text, ''], [200, undefined, ''], [200, html, '']],
  ['b"x"', [200, octets, 'x'], [200, octets, 'x'], [200, html, 'x']],
  ['0', [200, json, '0'], [200, undefined, ''], [200, html, '']],
  ['True', [200, json, 'true'], [200, json, 'true'], [200, 'application/json', 'true']],
  [
    '{"a": [1]}',
    [200, json, '{"a":[1]}'],
    [200, json, '{"a":[1]}'],
    [200, 'application/json', '{"a": [1]}'],
  ],
  ['[{}]', [200, json, '[{}]'], [200, json, '[{}]'], [200, 'application/json', '[{}]']],
  ['["a", "b"]', [200, json, '["a","b"]'], [200, json, '["a","b"]'], [200, html, 'ab']],
  ['("made", 201)', [201, text, 'made'], [201, undefined, 'made'], [201, html, 'made']],
  ['("x", 202, {"content-type": "a/b"})', [202, 'a/b', 'x'], [202, 'a/b', 'x'], [202, 'a/b', 'x']],
  [
    '(x for x in ["a", "b"])',
    [200, events, 'data: a\n\ndata: b\n\n'],
    [200, events, 'data: a\n\ndata: b\n\n'],
    [200, html, 'ab'],
  ],
  [
    'later("a", "b")',
    [200, events, 'data: a\n\ndata: b\n\n'],
    [200, events, 'data: a\n\ndata: b\n\n'],
    [200, html, 'ab'],
  ],
  ['io.BytesIO(b"file")', [200, octets, 'file'], [200, octets, 'file'], [200, octets, 'file']],
  [
    'Response({"a": 1}, 418)',
    [418, json, '{"a":1}'],
    [418, json, '{"a":1}'],
    [418, json, '{"a":1}'],
  ],
  ['Response.json("a")', [200, json, '"a"'], [200, json, '"a"'], [200, json, '"a"']],
  ['Response(None, 404)', [404, undefined, ''], [404, undefined, ''], [404, undefined, '']],
  [
    'Response("é", 200, {"content-type": "text/csv"})',
    [200, 'text/csv', 'é'],
    [200, 'text/csv', 'é'],
    [200, 'text/csv', 'é'],
  ],
  [
    'HTTPResponse({"a": 1}, 409)',
    [409, 'application/json', '{"a": 1}'],
    [409, 'application/json', '{"a": 1}'],
    [409, 'application/json', '{"a": 1}'],
  ],
  ['HTTPResponse(status=204)', [204, undefined, ''], [204, undefined, ''], [204, undefined, '']],
  ['HTTPError(404, "none")', [404, html, 'none'], [404, html, 'none'], [404, html, 'none']],
  [
    'ValueError("x")',
    [500, text, 'Internal Server Error'],
    [500, text, 'Internal Server Error'],
    [500, text, 'Internal server error'],
  ],
];

const source = (style: string): string => `
import io
from fnlet import Response
from bottle import HTTPResponse, HTTPError
async def later(*items):
    for item in items:
        yield item
values = [${table.map(([value]) => `lambda: ${value}`).join(',\n')}]
def handler(${style}):
    path = ${style}.path if hasattr(${style}, "path") else ${style}["extensions"]["request"].path
    return values[int(path[1:])]()
async def asynchronous(${style}):
    return handler(${style})`;

for (const [style, compatibility, column] of [
  ['request', undefined, 1],
  ['event', undefined, 2],
  ['event', 'kyma', 3],
  ['event', 'kubeless', 3],
] as const) {
  for (const handler of ['handler', 'asynchronous']) {
    const name = `${handler}(${style})${compatibility === undefined ? '' : ` of ${compatibility}`}`;
    test(`${name} answers with what it returns`, needsPython, async () => {
      await using runner = await StartedRunner.start({
        files: { 'handler.py': source(style) },
        handler,
        ...(compatibility === undefined ? {} : { compatibility }),
      });
      for (const [index, row] of table.entries()) {
        const answer = await runner.call({ path: `/${index}` });
        const expected = [...row[column]];
        // Kubeless has no text of its own for errors.
        if (compatibility === 'kubeless' && expected[0] === 500)
          expected[2] = 'Internal Server Error';
        assert.deepEqual(shape(answer), expected, `${row[0]}\n${runner.log}`);
        const head = await runner.call({ path: `/${index}`, method: 'HEAD' });
        assert.deepEqual([head.status, head.body], [expected[0], ''], row[0]);
      }
    });
  }
}
