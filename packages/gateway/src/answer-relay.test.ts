import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerRelay } from './answer-relay.ts';
import { HeadReader } from './http1/head-reader.ts';
import { Rejection } from './http1/rejection.ts';
import { parseRequestHead, type RequestHead } from './http1/request-head.ts';
import { parseResponseHead, type ResponseHead } from './http1/response-head.ts';
import type { Part } from './part.ts';

function reader(text: string): HeadReader {
  const heads = new HeadReader({ headBytesMax: 4096, fieldsMax: 16, startLineBytesMax: 1024 });
  assert.equal(heads.read(Buffer.from(text, 'latin1'), 0), true);
  return heads;
}

function request(version: string): RequestHead {
  const text = `GET / HTTP/${version}\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`;
  const head = parseRequestHead(reader(text), 1024);
  assert.ok(!(head instanceof Rejection));
  return head;
}

function response(fields: string): ResponseHead {
  const head = parseResponseHead(reader(`HTTP/1.1 200 OK\r\n${fields}\r\n`));
  assert.ok(!(head instanceof Rejection));
  return head;
}

/** What the client gets of a body that comes in these pieces. */
function relayed(relay: AnswerRelay, ...pieces: readonly string[]): string {
  const parts: Part[] = [];
  for (const piece of pieces) {
    if (relay.take(Buffer.from(piece, 'latin1'), 0, parts) < 0) return 'broken';
  }
  return parts.map(String).join('|');
}

test('a body of known length passes as it is, up to its end', () => {
  const relay = new AnswerRelay(response('Content-Length: 5\r\n'), request('1.1'), false);
  const parts: Part[] = [relay.head('id', undefined)];
  assert.equal(relay.take(Buffer.from('hello, too much'), 0, parts), 5);
  assert.equal(
    parts.join('|'),
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Request-Id: id\r\n\r\nhello',
  );
  assert.ok(relay.done && relay.keepAlive && relay.reusable);
});

test('a body that lasts until the end is chunked for HTTP/1.1', () => {
  const relay = new AnswerRelay(response(''), request('1.1'), false);
  assert.match(relay.head('id', undefined), /Transfer-Encoding: chunked\r\n/);
  assert.equal(relayed(relay, 'ab', 'c'), '2\r\nab\r\n1\r\nc\r\n');
  assert.ok(relay.lastsUntilEnd && !relay.done && relay.keepAlive);
  assert.equal(relay.end(), '0\r\n\r\n');
});

test('a chunked body is freed of its chunks for HTTP/1.0, whose connection then ends', () => {
  const relay = new AnswerRelay(response('Transfer-Encoding: chunked\r\n'), request('1.0'), false);
  assert.doesNotMatch(relay.head('id', undefined), /chunked/);
  assert.equal(relayed(relay, '2\r\nab\r\n', '1\r\nc\r\n0\r\n\r\n'), 'abc');
  assert.ok(relay.done && !relay.keepAlive && !relay.lastsUntilEnd);
});

test('a broken body is told as such, and a Gateway that closes keeps no connection', () => {
  const relay = new AnswerRelay(response('Transfer-Encoding: chunked\r\n'), request('1.1'), true);
  assert.equal(relayed(relay, 'nothing'), 'broken');
  assert.equal(relay.keepAlive, false);
  assert.match(relay.head('id', 12.34), /Server-Timing: wake;dur=12\.3\r\nConnection: close\r\n/);
});

test('large octets stay bytes', () => {
  const relay = new AnswerRelay(response('Content-Length: 20000\r\n'), request('1.1'), false);
  const parts: Part[] = [relay.head('id', undefined)];
  const chunk = Buffer.alloc(20_000, 'x');
  assert.equal(relay.take(chunk, 0, parts), 20_000);
  const kept = parts[1];
  chunk.fill('y');
  assert.equal(String(kept), 'x'.repeat(20_000));
});
