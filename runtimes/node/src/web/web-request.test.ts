import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebRequest } from './web-request.ts';

type Make = (RequestClass: typeof Request) => unknown;

const programs: Readonly<Record<string, Make>> = {
  url: (R) => new R('http://a.example/ü?b=1#c'),
  'a URL object': (R) => new R(new URL('http://a.example')),
  'a relative URL': (R) => new R('/a'),
  'a URL with credentials': (R) => new R('http://a:b@c.example'),
  post: (R) => new R('http://a.example', { method: 'post', body: 'hi' }),
  'a method of its own': (R) => new R('http://a.example', { method: 'patch' }),
  'a forbidden method': (R) => new R('http://a.example', { method: 'TRACE' }),
  'a broken method': (R) => new R('http://a.example', { method: 'a b' }),
  'a body on GET': (R) => new R('http://a.example', { body: 'hi' }),
  'a body on HEAD': (R) => new R('http://a.example', { method: 'HEAD', body: 'hi' }),
  'a form': (R) =>
    new R('http://a.example', { method: 'POST', body: new URLSearchParams({ a: '1' }) }),
  headers: (R) => new R('http://a.example', { headers: { A: '1', 'content-type': 'a/b' } }),
  'a broken header': (R) => new R('http://a.example', { headers: { a: '\n' } }),
  options: (R) => new R('http://a.example', { redirect: 'manual', cache: 'no-store' }),
  copy: (R) => new R(new R('http://a.example', { method: 'PUT', body: 'hi', headers: { a: '1' } })),
  'copy with changes': (R) =>
    new R(new R('http://a.example', { method: 'PUT', body: 'hi', headers: { a: '1' } }), {
      method: 'POST',
      headers: { b: '2' },
    }),
  'copy with another body': (R) =>
    new R(new R('http://a.example', { method: 'PUT', body: 'hi' }), { body: 'ho' }),
  'copy of a used one': async (R) => {
    const used = new R('http://a.example', { method: 'PUT', body: 'hi' });
    await used.text();
    return new R(used);
  },
  'the one that was copied': (R) => {
    const copied = new R('http://a.example', { method: 'PUT', body: 'hi' });
    new R(copied);
    return copied;
  },
  clone: (R) =>
    new R('http://a.example', { method: 'PUT', body: 'hi', headers: { a: '1' } }).clone(),
  'clone of a used one': async (R) => {
    const used = new R('http://a.example', { method: 'PUT', body: 'hi' });
    await used.text();
    return used.clone();
  },
};

async function seen(make: Make, RequestClass: unknown): Promise<unknown> {
  try {
    const request = asRequest(await make(asRequestClass(RequestClass)));
    const { method, url, redirect, cache, mode, credentials, keepalive, bodyUsed } = request;
    const { aborted } = request.signal;
    const hadBody = request.body !== null;
    const headers = [...request.headers];
    const text = await request.text().catch((error: Error) => error.constructor.name);
    const facts = { method, url, redirect, cache, mode, credentials, keepalive, bodyUsed };
    return { ...facts, aborted, hadBody, headers, text };
  } catch (error) {
    return error instanceof Error ? error.constructor.name : error;
  }
}

for (const [name, make] of Object.entries(programs)) {
  test(`a Request of ours is as the platform's: ${name}`, async () => {
    assert.deepEqual(await seen(make, WebRequest), await seen(make, Request));
  });
}

test('an abort of the given signal is an abort of the request', () => {
  const abort = new AbortController();
  const request = new WebRequest('http://a.example', { signal: abort.signal });
  const copy = new WebRequest(request);
  abort.abort('why');
  assert.ok(request.signal.aborted && copy.signal.aborted && copy.clone().signal.aborted);
});

test('fetchInit() is what the platform sends as our Request', async () => {
  const ours = new WebRequest('http://a.example/x', {
    method: 'PUT',
    headers: { a: '1' },
    body: 'hi',
    redirect: 'manual',
  });
  const theirs = new Request(ours.url, WebRequest.fetchInit(ours));
  assert.deepEqual([theirs.method, theirs.redirect, await theirs.text()], ['PUT', 'manual', 'hi']);
  assert.equal(theirs.headers.get('a'), '1');
  assert.equal(theirs.headers.get('content-type'), 'text/plain;charset=UTF-8');
});

function asRequestClass(value: unknown): typeof Request {
  if (isRequestClass(value)) return value;
  throw new TypeError('found no class');
}

function isRequestClass(value: unknown): value is typeof Request {
  return typeof value === 'function';
}

function asRequest(value: unknown): Request {
  if (isRequest(value)) return value;
  throw new TypeError('found no Request');
}

function isRequest(value: unknown): value is Request {
  return Object.prototype.toString.call(value) === '[object Request]';
}
