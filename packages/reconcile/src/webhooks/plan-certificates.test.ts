import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthority, signServerCertificate } from '@fnlet/client/tls';
import {
  bundleAuthorities,
  planCertificates,
  type WebhookCertificates,
} from './plan-certificates.ts';

const dayMs = 24 * 3_600_000;
const hosts = ['operator.sites.svc'];

async function certificates(
  caDays: number,
  certDays: number,
  named: readonly string[] = hosts,
): Promise<WebhookCertificates> {
  const terms = { commonName: 'webhook', now: 0 };
  const ca = await createAuthority({ ...terms, lifeMs: caDays * dayMs });
  const server = await signServerCertificate(ca, named, { ...terms, lifeMs: certDays * dayMs });
  return { caPem: ca.certPem, caKeyPem: ca.keyPem, ...server };
}

test('planCertificates() renews a certificate after two thirds, and an authority in time', async () => {
  const kept = await certificates(3650, 90);
  assert.equal(planCertificates(undefined, hosts, 0), 'renewAuthority');
  assert.equal(planCertificates(kept, hosts, 59 * dayMs), 'keep');
  assert.equal(planCertificates(kept, hosts, 61 * dayMs), 'renewCertificate');
  assert.equal(planCertificates(kept, hosts, 3561 * dayMs), 'renewAuthority');
});

test('planCertificates() renews what does not fit', async () => {
  const kept = await certificates(3650, 90);
  const other = await certificates(3650, 90);
  assert.equal(planCertificates(kept, ['elsewhere.svc'], 0), 'renewCertificate');
  assert.equal(planCertificates({ ...kept, caPem: other.caPem }, hosts, 0), 'renewCertificate');
  assert.equal(planCertificates({ ...kept, certPem: 'broken' }, hosts, 0), 'renewCertificate');
  assert.equal(planCertificates({ ...kept, caPem: 'broken' }, hosts, 0), 'renewAuthority');
});

test('planCertificates() keeps what is for an address as what is for a name', async () => {
  const kept = await certificates(3650, 90, ['127.0.0.1', '::1']);
  assert.equal(planCertificates(kept, ['127.0.0.1', '::1'], 0), 'keep');
  assert.equal(planCertificates(kept, ['127.0.0.2'], 0), 'renewCertificate');
});

test('bundleAuthorities() trusts the one before while it is valid, and none before that', async () => {
  const [first, second, third] = await Promise.all([100, 200, 300].map((d) => certificates(d, 9)));
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const two = bundleAuthorities(second.caPem, first.caPem, 0);
  assert.equal(two.match(/BEGIN CERTIFICATE/g)?.length, 2);
  assert.equal(bundleAuthorities(third.caPem, two, 0).match(/BEGIN CERTIFICATE/g)?.length, 2);
  assert.equal(bundleAuthorities(second.caPem, first.caPem, 101 * dayMs), second.caPem);
  assert.equal(bundleAuthorities(second.caPem, 'broken', 0), second.caPem);
});
