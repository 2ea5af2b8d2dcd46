import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseCoding } from './accept-encoding.ts';
import {
  type CompressionSettings,
  compressedFields,
  decideCompression,
} from './decide-compression.ts';

test('chooseCoding() takes what the client likes best', () => {
  for (const [accept, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZip, Deflate, BR, ZStd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip; q=0.8 , br ; q=0.9', 'br'],
    ['*', 'zstd'],
    ['*;q=0.1, gzip', 'gzip'],
    ['zstd;q=0, *', 'br'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.001', 'gzip'],
    ['deflate, compress', undefined],
    ['gzip;q=x', undefined],
    ['gzip;q=2', undefined],
    ['gzip;q=-1, br', 'br'],
    ['gzip;level=9;q=0.5', 'gzip'],
    [',,gzip,', 'gzip'],
    ['gzipped', undefined],
  ] as const) {
    assert.equal(chooseCoding(accept), expected, accept);
  }
});

function decide(
  lines: readonly string[],
  given: { status?: number; settings?: CompressionSettings; accept?: string | undefined } = {},
): string {
  const { status = 200, settings = {}, accept = 'gzip' } = given;
  const fields = lines.map((line) => `${line}\r\n`).join('');
  const decision = decideCompression({ status, fields }, settings, accept);
  if (decision.kind !== 'compress') return decision.kind;
  return `${decision.coding}${decision.streaming ? ' streaming' : ''}`;
}

const text = 'content-type: Text/HTML; charset=utf-8';

test('decideCompression() compresses text that is worth it', () => {
  assert.equal(decide([text]), 'gzip streaming');
  assert.equal(decide([text, 'content-length: 1024']), 'gzip');
  assert.equal(decide([text, 'content-length: 1023']), 'verbatim');
  assert.equal(decide([text, 'Content-Length: 10'], { settings: { bytesMin: 10 } }), 'gzip');
  assert.equal(decide([text], { accept: 'identity' }), 'unwanted');
  assert.equal(decide([text], { status: 404 }), 'gzip streaming');
});

test('decideCompression() leaves alone what would become untrue or no smaller', () => {
  for (const line of [
    'Content-Encoding: br',
    'content-encoding: identity',
    'Content-Range: bytes 0-1/2',
    'Content-Digest: sha-256=:x:',
    'Digest: x',
    'Content-MD5: x',
    'Trailer: Expires',
    'Cache-Control: public, No-Transform',
    'cache-control: no-transform',
  ]) {
    assert.equal(decide([text, line]), 'verbatim', line);
  }
  assert.equal(decide([text, 'Cache-Control: public', 'Cache-Control: no-transform']), 'verbatim');
  assert.equal(decide([text, 'Cache-Control: no-transformers']), 'gzip streaming');
  for (const status of [204, 206, 304]) assert.equal(decide([text], { status }), 'verbatim');
});

test('decideCompression() knows text by its media type', () => {
  for (const [type, expected] of [
    ['application/json', true],
    ['application/problem+json;charset=utf-8', true],
    ['image/svg+xml', true],
    ['text/event-stream', true],
    ['application/javascript', true],
    ['image/png', false],
    ['application/octet-stream', false],
    ['application/grpc', false],
    ['application/jsonish', false],
    ['video/mp4', false],
    ['', false],
  ] as const) {
    const expectation = expected ? 'gzip streaming' : 'verbatim';
    assert.equal(decide([`content-type: ${type}`]), expectation, type);
  }
  assert.equal(decide([]), 'verbatim');
  const settings = { types: ['image/*', 'application/x-own'] };
  assert.equal(decide(['content-type: image/png'], { settings }), 'gzip streaming');
  assert.equal(decide(['content-type: Application/X-Own'], { settings }), 'gzip streaming');
  assert.equal(decide([text], { settings }), 'verbatim');
});

test('compressedFields() says what was done, and takes back what is no longer true', () => {
  const fields =
    'A: 1\r\nETag: "x"\r\ncontent-length: 5\r\nAccept-Ranges: bytes\r\nVary: Origin\r\n';
  assert.equal(
    compressedFields(fields, 'br'),
    'A: 1\r\nVary: Origin\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n' +
      'Vary: Accept-Encoding\r\nETag: W/"x"\r\n',
  );
  assert.match(compressedFields('ETag: W/"x"\r\n', 'br'), /\r\nETag: W\/"x"\r\n$/);
  assert.doesNotMatch(compressedFields('A: 1\r\n', 'br'), /ETag/);
});
