import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HeadReader } from './head-reader.ts';
import { Rejection } from './rejection.ts';
import { parseRequestHead, type RequestHead } from './request-head.ts';

const limits = { headBytesMax: 32 * 1024, fieldsMax: 128, startLineBytesMax: 8 * 1024 + 64 };

/** Reads one head from `text`, cut at the given offsets; `undefined` when it is not complete. */
function read(
  text: string,
  cuts: readonly number[] = [],
): { readonly head: RequestHead | Rejection; readonly end: number } | undefined {
  const reader = new HeadReader(limits);
  const bytes = Buffer.from(text, 'latin1');
  const borders = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b);
  let from = 0;
  for (const to of borders) {
    // A chunk of its own, as from a socket, and bytes before it that are none of its business.
    const chunk = Buffer.concat([Buffer.from('??'), bytes.subarray(from, to)]);
    const found = reader.read(chunk, 2);
    if (found instanceof Rejection) return { head: found, end: from };
    if (found) return { head: parseRequestHead(reader, 8192), end: from + reader.end - 2 };
    from = to;
  }
  return undefined;
}

function accepted(text: string): RequestHead {
  const found = read(text);
  assert.ok(found !== undefined && !(found.head instanceof Rejection), JSON.stringify(found));
  return found.head;
}

test('parseRequestHead() reads what a request says', () => {
  const head = accepted(
    'POST /a?b HTTP/1.1\r\nHost: h:80\r\nX-A:  1 \r\nContent-Length: 5\r\nConnection: X-B\r\n' +
      'X-b: gone\r\nExpect: 100-Continue\r\nX-C:\r\n\r\n',
  );
  assert.equal(head.method, 'POST');
  assert.equal(head.target, '/a?b');
  assert.equal(head.host, 'h:80');
  assert.equal(head.fields.kept, 'Host: h:80\r\nX-A:  1 \r\nExpect: 100-Continue\r\nX-C:\r\n');
  assert.deepEqual(head.framing, { chunked: false, contentLength: 5 });
  assert.equal(head.expectsContinue, true);
  assert.equal(head.keepAlive, true);
});

test('parseRequestHead() knows when a connection goes on', () => {
  const keepAlive = (version: string, connection: string): boolean =>
    accepted(`GET / HTTP/${version}\r\nHost: x\r\n${connection}\r\n`).keepAlive;
  assert.equal(keepAlive('1.1', ''), true);
  assert.equal(keepAlive('1.1', 'Connection: foo , CLOSE\r\n'), false);
  assert.equal(keepAlive('1.1', 'Connection: foo\r\nConnection: close\r\n'), false);
  assert.equal(keepAlive('1.0', ''), false);
  assert.equal(keepAlive('1.0', 'Connection: keep-alive\r\n'), true);
});

test('parseRequestHead() takes an upgrade only where it can be one', () => {
  const upgrade = (fields: string): string | undefined =>
    accepted(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n${fields}\r\n`).upgrade;
  assert.equal(upgrade('Upgrade: websocket\r\n'), 'websocket');
  assert.equal(upgrade('Upgrade: websocket\r\nContent-Length: 1\r\n'), undefined);
  assert.equal(upgrade('Upgrade: h2c\r\n'), undefined);
  assert.equal(upgrade(''), undefined);
});

test('parseRequestHead() takes the host of an absolute target', () => {
  const head = accepted('GET HTTP://a.b:1/c HTTP/1.1\r\nHost: x\r\nX: 1\r\n\r\n');
  assert.deepEqual([head.host, head.target, head.fields.kept], ['a.b:1', '/c', 'X: 1\r\n']);
  assert.equal(accepted('GET http://a HTTP/1.1\r\nHost: x\r\n\r\n').target, '/');
});

test('parseRequestHead() forgives one empty line before a request, not two', () => {
  assert.equal(accepted('\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n').target, '/');
  assert.ok(read('\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n')?.head instanceof Rejection);
});

test('parseRequestHead() accepts exactly as much as its limits say', () => {
  const request = (target: string, fields: string): string =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
  const status = (text: string): number | undefined => {
    const head = read(text)?.head;
    return head instanceof Rejection ? head.status : head && 200;
  };
  assert.equal(status(request(`/${'a'.repeat(8191)}`, '')), 200);
  assert.equal(status(request(`/${'a'.repeat(8192)}`, '')), 414);
  assert.equal(status(request('/', 'A: b\r\n'.repeat(127))), 200);
  assert.equal(status(request('/', 'A: b\r\n'.repeat(128))), 431);
  const room = 32 * 1024 - request('/', 'A: \r\n').length;
  assert.equal(status(request('/', `A: ${'a'.repeat(room)}\r\n`)), 200);
  assert.equal(status(request('/', `A: ${'a'.repeat(room + 2)}\r\n`)), 431);
});

const texts = [
  `GET /a HTTP/1.1\r\nHost: x\r\nX-Long: ${'v'.repeat(3000)}\r\nA: b\r\n\r\nbody`,
  '\r\nPOST /?q HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: x\r\nA: \x00b\r\n\r\n',
  `GET /${'a'.repeat(9000)} HTTP/1.1\r\n\r\n`,
  `GET / HTTP/1.1\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`,
  'GET / HTTP/1.1\r\nHost: x\r\n unfinished',
];

test('a head means the same however it is cut', () => {
  for (const text of texts) {
    const whole = read(text);
    const length = Math.min(text.length, 4000);
    for (let cut = 1; cut < length; cut += length > 500 ? 7 : 1) {
      compare(read(text, [cut]), whole, `${text.slice(0, 30)} cut at ${cut}`);
    }
  }
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(fc.nat(45_000)), (text, cuts) => {
      const within = cuts.filter((cut) => cut > 0 && cut < text.length);
      compare(read(text, within), read(text), text.slice(0, 30));
    }),
  );
});

function compare(
  found: ReturnType<typeof read>,
  expected: ReturnType<typeof read>,
  message: string,
): void {
  assert.deepEqual(found?.head, expected?.head, message);
  if (!(expected?.head instanceof Rejection)) assert.equal(found?.end, expected?.end, message);
}

test('no bytes make the parser throw, or read past a head', () => {
  const parts = fc.constantFrom(
    'GET ',
    '/',
    ' HTTP/1.1',
    '\r\n',
    '\r',
    '\n',
    ':',
    'Host: x',
    'Content-Length: ',
    '5',
    ' ',
    '\t',
    '\x00',
    '\xff',
    'Transfer-Encoding: chunked',
    'Connection: a',
    ',',
    'X',
    '\r\n\r\n',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (list) => {
      const text = list.join('');
      const found = read(text);
      if (found === undefined || found.head instanceof Rejection) return;
      assert.ok(text.slice(0, found.end).endsWith('\r\n\r\n'));
      assert.doesNotMatch(found.head.fields.kept, /[^\r]\n|\r[^\n]|\r\n[ \t]/);
    }),
    { numRuns: 2000 },
  );
});

test('a port that no URL can have is refused', () => {
  for (const host of ['a:0', 'a:65535', 'a:', '[::1]:00080']) {
    assert.equal(accepted(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`).host, host);
  }
  for (const host of ['a:65536', 'a:99999', '[::1]:70000']) {
    const asked = read(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)?.head;
    assert.ok(asked instanceof Rejection && asked.status === 400, host);
    const absolute = read(`GET http://${host}/ HTTP/1.1\r\nHost: a\r\n\r\n`)?.head;
    assert.ok(absolute instanceof Rejection && absolute.status === 400, host);
  }
});
