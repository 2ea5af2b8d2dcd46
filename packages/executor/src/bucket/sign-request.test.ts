import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { encodePath, encodeQuery, type SignableRequest, signRequest } from './sign-request.ts';

// The examples that AWS publishes for S3 ("Examples: Signature Calculations").
const terms = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  region: 'us-east-1',
  now: Date.parse('2013-05-24T00:00:00Z'),
};
const host = 'https://examplebucket.s3.amazonaws.com';

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

interface Example {
  readonly what: string;
  readonly request: SignableRequest;
  readonly signed: string;
  readonly signature: string;
}

const nothing = digestOf('');

const examples: readonly Example[] = [
  {
    what: 'GET of an object',
    request: {
      method: 'GET',
      url: new URL(`${host}/test.txt`),
      headers: { range: 'bytes=0-9' },
      payloadSha256: nothing,
    },
    signed: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    what: 'PUT of an object',
    request: {
      method: 'PUT',
      url: new URL(`${host}${encodePath('/test$file.text')}`),
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      payloadSha256: digestOf('Welcome to Amazon S3.'),
    },
    signed: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    what: 'GET of a part of a bucket, with an empty parameter',
    request: {
      method: 'GET',
      url: new URL(`${host}/?${encodeQuery({ lifecycle: '' })}`),
      headers: {},
      payloadSha256: nothing,
    },
    signed: 'host;x-amz-content-sha256;x-amz-date',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    what: 'GET of a list, with parameters',
    request: {
      method: 'GET',
      url: new URL(`${host}/?${encodeQuery({ prefix: 'J', 'max-keys': '2' })}`),
      headers: {},
      payloadSha256: nothing,
    },
    signed: 'host;x-amz-content-sha256;x-amz-date',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

for (const { what, request, signed, signature } of examples) {
  test(`signRequest() signs a ${what} as AWS does`, () => {
    const scope = '20130524/us-east-1/s3/aws4_request';
    const { authorization } = signRequest(request, terms);
    assert.equal(
      authorization,
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope},` +
        `SignedHeaders=${signed},Signature=${signature}`,
    );
  });
}

test('signRequest() covers the token of credentials that were lent', () => {
  const credentials = { ...terms.credentials, sessionToken: 'lent' };
  const url = new URL(`${host}/test.txt`);
  const request = { method: 'GET', url, headers: {}, payloadSha256: nothing };
  const headers = signRequest(request, { ...terms, credentials });
  assert.equal(headers['x-amz-security-token'], 'lent');
  assert.match(headers.authorization ?? '', /SignedHeaders=[^,]*;x-amz-security-token,/);
});

test('signRequest() signs the port of a server that has its own', () => {
  const url = new URL('http://127.0.0.1:9000/bucket/key');
  const request = { method: 'GET', url, headers: {}, payloadSha256: nothing };
  assert.equal(signRequest(request, terms).host, '127.0.0.1:9000');
});

test('encodePath() and encodeQuery() leave only unreserved characters', () => {
  assert.equal(encodePath("/a b/ü!'()*~-_.$"), '/a%20b/%C3%BC%21%27%28%29%2A~-_.%24');
  assert.equal(encodeQuery({ b: '/', a: '+ ' }), 'a=%2B%20&b=%2F');
});
