import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translateRequest, translateTrailers } from './stream-request.ts';

const usual = [':method', 'POST', ':scheme', 'https', ':authority', 'a.b:8443', ':path', '/x?y'];

function headOf(fields: readonly string[], ended: boolean): string {
  const request = translateRequest([...usual, ...fields], ended);
  assert.ok(typeof request === 'object');
  return request.head;
}

test('a request is said in HTTP/1.1, its authority as Host, its fields in their order', () => {
  assert.equal(
    headOf(['x-b', '1', 'accept', '*/*', 'x-b', '2'], true),
    'POST /x?y HTTP/1.1\r\nhost: a.b:8443\r\nx-b: 1\r\naccept: */*\r\nx-b: 2\r\n' +
      'connection: close\r\n\r\n',
  );
});

test('a body is framed by its length where there is one, else in chunks', () => {
  assert.match(headOf([], false), /\r\ntransfer-encoding: chunked\r\n/);
  const sized = headOf(['content-length', '3'], false);
  assert.match(sized, /\r\ncontent-length: 3\r\n/);
  assert.doesNotMatch(sized, /chunked/);
  assert.doesNotMatch(headOf([], true), /content-length|chunked/);
  assert.doesNotMatch(headOf(['content-length', '0'], true), /chunked/);
});

test('crumbs of a cookie become one field, and Host stands for a missing authority', () => {
  assert.match(headOf(['cookie', 'a=1', 'cookie', 'b=2; c'], true), /\r\ncookie: a=1; b=2; c\r\n/);
  const fields = [':method', 'GET', ':path', '/', 'host', 'c.d'];
  const request = translateRequest(fields, true);
  assert.ok(typeof request === 'object');
  assert.match(request.head, /^GET \/ HTTP\/1.1\r\nhost: c\.d\r\nconnection: close\r\n\r\n$/);
});

test('a WebSocket is asked for as in HTTP/1.1', () => {
  const request = translateRequest(
    [':method', 'CONNECT', ':protocol', 'websocket', ':authority', 'a', ':path', '/chat'],
    false,
  );
  assert.ok(typeof request === 'object');
  assert.ok(request.tunnel);
  assert.match(request.head, /^GET \/chat HTTP\/1.1\r\nhost: a\r\nconnection: upgrade\r\n/);
  assert.match(request.head, /\r\nsec-websocket-key: [\w+/]{22}==\r\n/);
});

test('what would be read otherwise in HTTP/1.1 is refused', () => {
  const refused: readonly (readonly [number, ...string[]])[] = [
    [400, 'connection', 'close'],
    [400, 'transfer-encoding', 'chunked'],
    [400, 'te', 'gzip'],
    [400, 'X-Up', '1'],
    [400, 'a:b', '1'],
    [400, 'a b', '1'],
    [400, '', '1'],
    [400, 'x-a', '1\r\nx-b: 2'],
    [400, 'x-a', '1\n'],
    [400, 'x-a', '\x00'],
    [400, 'host', 'other'],
    [400, 'content-length', '1', 'content-length', '1'],
    [400, 'content-length', '7'],
    [400, ':path', 'http://evil/'],
    [400, ':path', '*'],
    [400, ':protocol', 'websocket'],
    [501, ':protocol', 'connect-udp', ':method', 'CONNECT'],
    [405, ':method', 'CONNECT'],
  ];
  for (const [status, ...fields] of refused) {
    assert.equal(translateRequest([...usual, ...fields], true), status, fields.join(' '));
  }
});

test('trailers are lines, or nothing', () => {
  assert.equal(translateTrailers(['x-sum', '1', 'x-b', '\xe9']), 'x-sum: 1\r\nx-b: \xe9\r\n');
  assert.equal(translateTrailers(['x-sum', '1\r\n\r\nGET /']), undefined);
  assert.equal(translateTrailers(['x sum', '1']), undefined);
});
