import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CertificatePair, createAuthority, signServerCertificate } from '@fnlet/client/tls';
import { judgeCertificate } from './judge-certificate.ts';

const nowMs = Date.parse('2026-03-01T00:00:00Z');
const lifeMs = 86_400_000;
let shop: CertificatePair;
let other: CertificatePair;

before(async () => {
  const terms = { commonName: 'test', now: nowMs, lifeMs };
  const authority = await createAuthority(terms);
  shop = await signServerCertificate(authority, ['shop.example.com', '*.shop.example.com'], terms);
  other = await signServerCertificate(authority, ['other.example.com'], terms);
});

test('a certificate that is for all hosts will do, until it ends', () => {
  const judged = judgeCertificate(shop, ['shop.example.com', '*.shop.example.com'], nowMs);
  assert.deepEqual(judged, { usable: true, trouble: undefined, untilMs: nowMs + lifeMs });
});

test('a certificate that clients will not take is shown, and told about', () => {
  for (const [hosts, atMs, message] of [
    [['shop.example.com', 'example.com'], nowMs, /for DNS:shop.*, not for example\.com$/],
    [['*.example.com'], nowMs, /not for \*\.example\.com$/],
    [['shop.example.com'], nowMs + lifeMs, /good until Mar {2}2 00:00:00 2026 GMT$/],
    [['shop.example.com'], nowMs - lifeMs, /holds from Feb 28 23:00:00 2026 GMT on$/],
  ] as const) {
    const { usable, trouble } = judgeCertificate(shop, hosts, atMs);
    assert.equal(usable, true);
    assert.equal(trouble?.reason, 'certificateInvalid');
    assert.match(trouble.message, message);
  }
});

test('what is no certificate, or has another key, is not shown', () => {
  for (const [certPem, keyPem, message] of [
    [shop.certPem, other.keyPem, /private key of another certificate/],
    ['nothing', shop.keyPem, /Cannot use the certificate: /],
    [shop.certPem, 'nothing', /Cannot use the certificate: /],
  ] as const) {
    const { usable, trouble } = judgeCertificate({ certPem, keyPem }, ['shop.example.com'], nowMs);
    assert.equal(usable, false);
    assert.match(trouble?.message ?? '', message);
  }
});
