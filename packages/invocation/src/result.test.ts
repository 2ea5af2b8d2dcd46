import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideResult, type HandlerStyle } from './result.ts';

const json = 'application/json; charset=utf-8';
const octets = 'application/octet-stream';
const bytes = new Uint8Array([104, 105]);
const webStream = ReadableStream.from(['a']);
const nodeStream = { pipe(): void {}, async *[Symbol.asyncIterator]() {} };
async function* generate(): AsyncGenerator<string> {}
const generator = generate();
const response = new Response('hi', { status: 201 });

type Expected = readonly [status: number, type: string | undefined, body: object];
type Vector = readonly [name: string, value: unknown, web: Expected, event: Expected];

const same = (name: string, value: unknown, expected: Expected): Vector => [
  name,
  value,
  expected,
  expected,
];
const text = (content: string): object => ({ kind: 'text', text: content });
const empty: Expected = [200, undefined, { kind: 'empty' }];
const nothing: Expected = [204, undefined, { kind: 'empty' }];
const plain = 'text/plain; charset=utf-8';

const vectors: readonly Vector[] = [
  ['text', 'hi', [200, plain, text('hi')], [200, undefined, text('hi')]],
  ['empty text', '', [200, plain, text('')], [200, undefined, text('')]],
  ['undefined', undefined, nothing, empty],
  ['null', null, nothing, empty],
  ['zero', 0, [200, json, text('0')], empty],
  ['false', false, [200, json, text('false')], empty],
  ['NaN', Number.NaN, [200, json, text('null')], empty],
  same('a number', 42, [200, json, text('42')]),
  same('true', true, [200, json, text('true')]),
  same('an object', { a: 1 }, [200, json, text('{"a":1}')]),
  same('an array', [1, 'a'], [200, json, text('[1,"a"]')]),
  same('a date', new Date(0), [200, json, text('"1970-01-01T00:00:00.000Z"')]),
  same('statusCode and body', { statusCode: 404, body: 'x' }, [
    200,
    json,
    text('{"statusCode":404,"body":"x"}'),
  ]),
  [
    'a Buffer',
    Buffer.from(bytes),
    [200, octets, { kind: 'bytes', bytes: Buffer.from(bytes) }],
    [200, json, text('{"type":"Buffer","data":[104,105]}')],
  ],
  [
    'an ArrayBuffer',
    bytes.buffer,
    [200, octets, { kind: 'bytes', bytes }],
    [200, json, text('{}')],
  ],
  same('a web stream', webStream, [200, octets, { kind: 'stream', chunks: webStream }]),
  same('a Node stream', nodeStream, [200, octets, { kind: 'stream', chunks: nodeStream }]),
  same('an async iterable', generator, [
    200,
    'text/event-stream; charset=utf-8',
    { kind: 'events', items: generator },
  ]),
  same('a Set', new Set([1]), [200, json, text('{}')]),
  same('a Response', response, [201, undefined, { kind: 'response', response }]),
];

for (const [name, value, web, event] of vectors) {
  for (const [style, expected] of [
    ['web', web],
    ['event', event],
  ] satisfies [HandlerStyle, Expected][]) {
    test(`decideResult() of ${name} in ${style} style`, () => {
      const { status, headers, body } = decideResult(value, style);
      assert.deepEqual([status, headers['content-type'], body], expected);
    });
  }
}

for (const value of [() => 1, Symbol('x'), 7n, { n: 7n }]) {
  test(`decideResult() refuses ${String(typeof value)}`, () => {
    assert.throws(() => decideResult(value, 'web'), TypeError);
    assert.throws(() => decideResult(value, 'event'), TypeError);
  });
}

test('decideResult() sends the bytes of every kind of view, and no more than the view shows', () => {
  const { buffer } = new Uint8Array([1, 2, 3, 4, 5, 6]);
  for (const view of [new Uint16Array(buffer, 2, 1), new DataView(buffer, 2, 2)]) {
    assert.deepEqual(decideResult(view, 'web').body, {
      kind: 'bytes',
      bytes: new Uint8Array([3, 4]),
    });
  }
});

test('decideResult() of a generator gives its items as events, and ends it when told to', async () => {
  let ended = 0;
  function* count(): Generator<number> {
    try {
      for (let n = 1; ; n++) yield n;
    } finally {
      ended++;
    }
  }
  for (const iterator of [count(), count().map((n) => n)]) {
    const { headers, body } = decideResult(iterator, 'web');
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.ok(body.kind === 'events');
    const items: unknown[] = [];
    for await (const item of body.items) if (items.push(item) === 3) break;
    assert.deepEqual(items, [1, 2, 3]);
  }
  assert.equal(ended, 2);
});

for (const style of ['web', 'event'] as const) {
  test(`decideResult() throws an Error that was returned in ${style} style`, () => {
    const returned = new RangeError('why');
    assert.throws(() => decideResult(returned, style), returned);
  });
}
