import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseCoding } from './accept-encoding.ts';
import {
  type CompressionSettings,
  compressedFields,
  decideCompression,
  uncompressedFields,
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
  given: {
    status?: number;
    settings?: CompressionSettings;
    accept?: string | undefined;
    isBodiless?: boolean;
  } = {},
): string {
  const { status = 200, settings = {}, accept = 'gzip', isBodiless = false } = given;
  const fields = lines.map((line) => `${line}\r\n`).join('');
  const decision = decideCompression({ status, fields, isBodiless }, settings, accept);
  if (decision.kind === 'describe') return `describe ${decision.coding}`;
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
    'Repr-Digest: sha-256=:x:',
    'Content-MD5: x',
    'Trailer: Expires',
    'Cache-Control: public, No-Transform',
    'cache-control: no-transform',
  ]) {
    assert.equal(decide([text, line]), 'verbatim', line);
  }
  assert.equal(decide([text, 'Cache-Control: public', 'Cache-Control: no-transform']), 'verbatim');
  assert.equal(decide([text, 'Cache-Control: no-transformers']), 'gzip streaming');
  for (const status of [204, 206]) assert.equal(decide([text], { status }), 'verbatim');
});

test('decideCompression() has an answer without a body say what the one with it says', () => {
  const isBodiless = true;
  assert.equal(decide([text, 'content-length: 1024'], { isBodiless }), 'describe gzip');
  assert.equal(decide([text, 'content-length: 1023'], { isBodiless }), 'verbatim');
  assert.equal(decide([text], { isBodiless }), 'unwanted', 'who knows how long it would be');
  assert.equal(decide(['content-type: image/png'], { isBodiless }), 'verbatim');
  assert.equal(decide([], { status: 304 }), 'unwanted');
});

test('uncompressedFields() gives a weak tag to who has it as a weak one', () => {
  const fields = 'ETag: "x"\r\nA: 1\r\n';
  for (const ifNoneMatch of [['W/"x"'], ['"z"', 'W/"y", W/"x"']]) {
    assert.equal(
      uncompressedFields(fields, ifNoneMatch),
      'A: 1\r\nVary: Accept-Encoding\r\nETag: W/"x"\r\n',
    );
  }
  for (const ifNoneMatch of [[], ['"x"'], ['W/"y"'], ['*']]) {
    assert.equal(uncompressedFields(fields, ifNoneMatch), `${fields}Vary: Accept-Encoding\r\n`);
  }
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
