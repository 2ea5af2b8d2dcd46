import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signAwsRequest } from './aws-signature.ts';

// Of AWS' test suite for signatures, version 4 (post-vanilla, post-x-www-form-urlencoded).
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const scope = { region: 'us-east-1', service: 'service' };
const atMs = Date.UTC(2015, 7, 30, 12, 36, 0);
const host = 'example.amazonaws.com';

test('requests are signed as in the test suite of AWS', () => {
  const vanilla = { host, headers: {}, body: new Uint8Array() };
  assert.equal(
    signAwsRequest(vanilla, { credentials, scope }, atMs).authorization,
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
      'SignedHeaders=host;x-amz-date, ' +
      'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  );
  const form = {
    host,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from('Param1=value1'),
  };
  assert.match(
    signAwsRequest(form, { credentials, scope }, atMs).authorization ?? '',
    /Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a$/,
  );
});

test('a lent key goes with its token, which is signed, too', () => {
  const lent = { ...credentials, sessionToken: 'token' };
  const request = { host, headers: {}, body: new Uint8Array() };
  const signed = signAwsRequest(request, { credentials: lent, scope }, atMs);
  assert.equal(signed['x-amz-security-token'], 'token');
  assert.match(signed.authorization ?? '', /SignedHeaders=host;x-amz-date;x-amz-security-token,/);
});
