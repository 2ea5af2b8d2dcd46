import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebHeaders } from './web-headers.ts';
import { WebResponse } from './web-response.ts';

type Make = (ResponseClass: typeof Response) => unknown;

// The same program for the platform's class and for ours.
const programs: Readonly<Record<string, Make>> = {
  'no body': (R) => new R(),
  text: (R) => new R('hi'),
  'empty text': (R) => new R(''),
  null: (R) => new R(null, { status: 204 }),
  bytes: (R) => new R(Buffer.from('hi')),
  'a byte order mark': (R) => new R('\uFEFFhi'),
  'broken UTF-8': (R) => new R(Buffer.from('61ff62c3e282', 'hex')),
  'a view': (R) => new R(new Uint16Array([1, 2])),
  'a buffer': (R) => new R(new Uint8Array([104, 105]).buffer),
  'a stream': (R) => new R(ReadableStream.from([Buffer.from('a'), Buffer.from('b')])),
  'a blob': (R) => new R(new Blob(['hi'], { type: 'a/b' })),
  'a blob without type': (R) => new R(new Blob(['hi'])),
  'search parameters': (R) => new R(new URLSearchParams({ a: 'ü' })),
  'a number': (R) => Reflect.construct(R, [42]),
  'an object': (R) => Reflect.construct(R, [{}]),
  status: (R) => new R('x', { status: 418, statusText: 'Teapot' }),
  headers: (R) => new R('x', { headers: { 'Content-Type': 'a/b', B: '1' } }),
  'headers of another': (R) => new R('x', new R('y', { status: 201, headers: { a: '1' } })),
  'status 199': (R) => new R('x', { status: 199 }),
  'status 101': (R) => new R(null, { status: 101 }),
  'status 600': (R) => new R('x', { status: 600 }),
  'status NaN': (R) => new R('x', { status: Number.NaN }),
  'a body on 204': (R) => new R('x', { status: 204 }),
  'a body on 304': (R) => new R('', { status: 304 }),
  'a broken statusText': (R) => new R('x', { statusText: 'a\nb' }),
  'a broken header': (R) => new R('x', { headers: { 'a b': '1' } }),
  'init null': (R) => Reflect.construct(R, ['x', null]),
  json: (R) => R.json({ a: [1] }),
  'json with init': (R) => R.json(1, { status: 201, headers: { 'content-type': 'a/b' } }),
  'json of undefined': (R) => R.json(undefined),
  redirect: (R) => R.redirect('http://a.example/ü'),
  'redirect 301': (R) => R.redirect('http://a.example', 301),
  'redirect 200': (R) => Reflect.apply(R.redirect, R, ['http://a.example', 200]),
  'redirect nowhere': (R) => R.redirect('/relative'),
  error: (R) => R.error(),
  clone: (R) => new R('hi', { status: 201, headers: { a: '1' } }).clone(),
  'clone of a stream': (R) => new R(ReadableStream.from([Buffer.from('ab')])).clone(),
};

async function seen(make: Make, ResponseClass: unknown): Promise<unknown> {
  try {
    const made = await make(asResponseClass(ResponseClass));
    const response = asResponse(made);
    const { status, statusText, ok, type, redirected, url } = response;
    const hadBody = response.body !== null;
    const headers = [...response.headers];
    const text = await response.text();
    const { bodyUsed } = response;
    const second = await response.text().catch((error: Error) => error.constructor.name);
    const facts = { status, statusText, ok, type, redirected, url, headers, hadBody };
    return { ...facts, text, bodyUsed, second };
  } catch (error) {
    return error instanceof Error ? error.constructor.name : error;
  }
}

for (const [name, make] of Object.entries(programs)) {
  test(`a Response of ours is as the platform's: ${name}`, async () => {
    assert.deepEqual(await seen(make, WebResponse), await seen(make, Response));
  });
}

test('every way to read a body gives the content', async () => {
  const make = (): WebResponse =>
    new WebResponse('{"a":"ü"}', { headers: { 'content-type': 'a/b' } });
  assert.deepEqual(await make().json(), { a: 'ü' });
  assert.equal(Buffer.from(await make().arrayBuffer()).toString(), '{"a":"ü"}');
  assert.equal(Buffer.from(await make().bytes()).toString(), '{"a":"ü"}');
  const blob = await make().blob();
  assert.deepEqual([blob.type, await blob.text()], ['a/b', '{"a":"ü"}']);
  let streamed = '';
  for await (const chunk of make().body ?? []) streamed += Buffer.from(chunk).toString();
  assert.equal(streamed, '{"a":"ü"}');
});

test('a form survives the way out and in', async () => {
  const form = new FormData();
  form.set('a "quoted" name', 'line\nbreak');
  form.set('file', new File(['content ü'], 'ü.txt', { type: 'text/plain' }));
  const read = await new WebResponse(form).formData();
  assert.equal(read.get('a "quoted" name'), 'line\r\nbreak');
  const file = read.get('file');
  assert.ok(file instanceof File);
  assert.deepEqual([file.name, file.type, await file.text()], ['ü.txt', 'text/plain', 'content ü']);
});

test('what the Runner sends at once is gone after somebody asked for the stream', () => {
  const response = new WebResponse('hi');
  assert.equal(WebResponse.plainContent(response), 'hi');
  assert.ok(response.body instanceof ReadableStream);
  assert.equal(WebResponse.plainContent(response), undefined);
  assert.equal(WebResponse.plainContent({}), undefined);
});

test('instanceof knows our Responses, those of fetch, and subclasses', async () => {
  class Mine extends WebResponse {}
  assert.ok(new Mine('x') instanceof WebResponse);
  assert.ok(new Mine('x') instanceof Mine);
  assert.ok(!(new WebResponse('x') instanceof Mine));
  assert.ok(!({} instanceof WebResponse));
  assert.ok(new WebResponse().headers instanceof WebHeaders);
});

function asResponseClass(value: unknown): typeof Response {
  if (isResponseClass(value)) return value;
  throw new TypeError('found no class');
}

function isResponseClass(value: unknown): value is typeof Response {
  return typeof value === 'function';
}

function asResponse(value: unknown): Response {
  if (isResponse(value)) return value;
  throw new TypeError('found no Response');
}

function isResponse(value: unknown): value is Response {
  return Object.prototype.toString.call(value) === '[object Response]';
}
