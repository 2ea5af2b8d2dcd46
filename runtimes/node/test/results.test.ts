import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, StartedRunner } from './started-runner.ts';

interface Row {
  readonly returns: string;
  readonly web: readonly [status: number, type: string | undefined, body: string];
  readonly event: readonly [status: number, type: string | undefined, body: string];
}

const json = 'application/json; charset=utf-8';
const text = 'text/plain; charset=utf-8';
const octets = 'application/octet-stream';
const events = 'text/event-stream; charset=utf-8';

const rows: readonly Row[] = [
  { returns: '"hi ü"', web: [200, text, 'hi ü'], event: [200, undefined, 'hi ü'] },
  { returns: '""', web: [200, text, ''], event: [200, undefined, ''] },
  { returns: 'undefined', web: [204, undefined, ''], event: [200, undefined, ''] },
  { returns: 'null', web: [204, undefined, ''], event: [200, undefined, ''] },
  { returns: '0', web: [200, json, '0'], event: [200, undefined, ''] },
  { returns: 'false', web: [200, json, 'false'], event: [200, undefined, ''] },
  { returns: '42', web: [200, json, '42'], event: [200, json, '42'] },
  { returns: 'true', web: [200, json, 'true'], event: [200, json, 'true'] },
  { returns: '({ a: [1] })', web: [200, json, '{"a":[1]}'], event: [200, json, '{"a":[1]}'] },
  { returns: '[]', web: [200, json, '[]'], event: [200, json, '[]'] },
  {
    returns: 'new Date(0)',
    web: [200, json, '"1970-01-01T00:00:00.000Z"'],
    event: [200, json, '"1970-01-01T00:00:00.000Z"'],
  },
  {
    returns: 'Buffer.from("hi")',
    web: [200, octets, 'hi'],
    event: [200, json, '{"type":"Buffer","data":[104,105]}'],
  },
  {
    returns: 'new TextEncoder().encode("hi").buffer',
    web: [200, octets, 'hi'],
    event: [200, json, '{}'],
  },
  {
    returns: 'new Blob(["hi"], { type: "a/b" })',
    web: [200, 'a/b', 'hi'],
    event: [200, json, '{}'],
  },
  {
    returns: 'new URLSearchParams({ a: "b c" })',
    web: [200, 'application/x-www-form-urlencoded;charset=UTF-8', 'a=b+c'],
    event: [200, json, '{}'],
  },
  {
    returns: '(function* () { yield "a"; yield { n: 1 }; })()',
    web: [200, events, 'data: a\n\ndata: {"n":1}\n\n'],
    event: [200, events, 'data: a\n\ndata: {"n":1}\n\n'],
  },
  {
    returns: 'new TypeError("secret")',
    web: [500, text, 'Internal Server Error'],
    event: [500, text, 'Internal Server Error'],
  },
  {
    returns: 'Object.assign(new Error("no such thing"), { status: 404 })',
    web: [404, text, 'no such thing'],
    event: [404, text, 'no such thing'],
  },
  {
    returns: 'Response.error()',
    web: [500, text, 'Internal Server Error'],
    event: [500, text, 'Internal Server Error'],
  },
  {
    returns: 'ReadableStream.from([{ no: "chunk" }])',
    web: [500, text, 'Internal Server Error'],
    event: [500, text, 'Internal Server Error'],
  },
  {
    returns: '7n',
    web: [500, text, 'Internal Server Error'],
    event: [500, text, 'Internal Server Error'],
  },
  {
    returns: '() => 1',
    web: [500, text, 'Internal Server Error'],
    event: [500, text, 'Internal Server Error'],
  },
  ...[
    ['ReadableStream.from([Buffer.from("a"), "b"])', 200, octets, 'ab'],
    ['Readable.from(["a", Buffer.from("b")])', 200, octets, 'ab'],
    [
      '(async function* () { yield "a"; yield { b: 1 }; })()',
      200,
      events,
      'data: a\n\ndata: {"b":1}\n\n',
    ],
    ['(async function* () { throw new Error("x"); })()', 200, events, ''],
    ['new Response("hi")', 200, 'text/plain;charset=UTF-8', 'hi'],
    ['new Response(null, { status: 204 })', 204, undefined, ''],
    ['new Response()', 200, undefined, ''],
    ['new Response(Buffer.from("hi"), { status: 201 })', 201, undefined, 'hi'],
    ['new Response("{}", { headers: { "content-type": "a/b" } })', 200, 'a/b', '{}'],
    ['new Response(ReadableStream.from([Buffer.from("hi")]))', 200, undefined, 'hi'],
    ['new Response(new Blob(["hi"], { type: "a/b" }))', 200, 'a/b', 'hi'],
    [
      'new Response(new URLSearchParams({ a: "1 2" }))',
      200,
      'application/x-www-form-urlencoded;charset=UTF-8',
      'a=1+2',
    ],
    ['Response.json({ a: 1 }, { status: 202 })', 202, 'application/json', '{"a":1}'],
    ['fetch("data:a/b,hi")', 200, 'a/b', 'hi'],
    ['new Response("hi").clone()', 200, 'text/plain;charset=UTF-8', 'hi'],
    ['new Response("hi", { status: 700 })', 500, text, 'Internal Server Error'],
    ['Promise.reject(new Error("secret"))', 500, text, 'Internal Server Error'],
    ['raise(new Error("secret"))', 500, text, 'Internal Server Error'],
    ['raise({ status: 400, message: "plain object" })', 500, text, 'Internal Server Error'],
    ['raise("a text")', 500, text, 'a text'],
    ['raise(undefined)', 500, text, 'Internal Server Error'],
    [
      'raise(Object.assign(new Error("no such thing"), { status: 404 }))',
      404,
      text,
      'no such thing',
    ],
    ['raise(Object.assign(new Error("busy"), { statusCode: 503 }))', 503, text, 'busy'],
    [
      'raise(Object.assign(new Error("secret"), { status: 404, expose: false }))',
      500,
      text,
      'Internal Server Error',
    ],
    ['raise(Object.assign(new Error("odd"), { status: 200 }))', 500, text, 'Internal Server Error'],
  ].map(([returns, ...rest]) => bothStyles(String(returns), rest)),
];

function bothStyles(returns: string, [status, type, body]: readonly unknown[]): Row {
  const row = [
    Number(status),
    type === undefined ? undefined : String(type),
    String(body),
  ] as const;
  return { returns, web: row, event: row };
}

const cases = rows.map(({ returns }) => `() => ${returns}`).join(',\n');
const prelude = `
import { Readable } from 'node:stream';
const raise = (error) => { throw error; };
const cases = [${cases}];
`;
const files = {
  'handler.mjs': `${prelude}
export default (request) => cases[Number(new URL(request.url).pathname.slice(1))]();
export const event = ({ extensions }) => cases[Number(extensions.request.path.slice(1))]();`,
};

let web: StartedRunner;
let event: StartedRunner;
before(async () => {
  web = await StartedRunner.start({ files });
  event = await StartedRunner.start({ files, handler: 'event' });
});
after(async () => {
  await web[Symbol.asyncDispose]();
  await event[Symbol.asyncDispose]();
});

const shape = ({ status, headers, body }: Answer): readonly unknown[] => [
  status,
  headers['content-type'],
  body,
];

for (const [index, row] of rows.entries()) {
  const isBrokenStream = row.returns.includes('async function* () { throw');
  test(`a web-style handler answers with ${row.returns}`, async () => {
    const call = web.call({ path: `/${index}` });
    if (isBrokenStream) await assert.rejects(call, { code: 'ECONNRESET' });
    else assert.deepEqual(shape(await call), row.web);
  });
  test(`an event-style handler answers with ${row.returns}`, async () => {
    const call = event.call({ path: `/${index}` });
    if (isBrokenStream) await assert.rejects(call, { code: 'ECONNRESET' });
    else assert.deepEqual(shape(await call), row.event);
  });
}

test('HEAD gets the head of the answer and no body', async () => {
  for (const [index] of rows.entries()) {
    const answer = await web.call({ path: `/${index}`, method: 'HEAD' });
    assert.equal(answer.body, '');
  }
});

test('stacks are in the log, with source positions, and never in the answer', async () => {
  await web.logged('Error: secret');
  assert.match(web.log, /\n\[\d+\] +at .*source\/handler\.mjs:\d+:\d+/);
});
