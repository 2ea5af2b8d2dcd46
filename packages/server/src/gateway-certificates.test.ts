import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import { createAuthority, signServerCertificate } from '@fnlet/client/tls';
import type { Certificate } from '@fnlet/gateway';
import { GatewayCertificates } from './gateway-certificates.ts';
import { gatewayCertificatesInWorkMax, gatewayCertificatesMax } from './limits.ts';

const dayMs = 24 * 3_600_000;

async function start(t: TestContext): Promise<{
  readonly clock: VirtualClock;
  readonly source: GatewayCertificates;
  readonly authority: X509Certificate;
}> {
  const clock = new VirtualClock();
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-pki-'));
  t.after(() => rm(directory, { recursive: true }));
  const terms = { commonName: 'ca', now: clock.now(), lifeMs: 3650 * dayMs };
  const { certPem, keyPem } = await createAuthority(terms);
  const keyPath = join(directory, 'ca.key');
  await writeFile(keyPath, keyPem);
  const firstTerms = { commonName: 'first', now: clock.now(), lifeMs: 60 * dayMs };
  const first = await signServerCertificate({ certPem, keyPem }, ['localhost'], firstTerms);
  const source = new GatewayCertificates({
    authority: { certPem, keyPath },
    first,
    hosts: ['localhost', '127.0.0.1', '127.0.0.1'],
    mayHave: (host) => host.endsWith('.localhost'),
    clock,
    logger: silentLogger,
  });
  return { clock, source, authority: new X509Certificate(certPem) };
}

function read(certificate: Certificate | undefined): X509Certificate {
  assert.ok(certificate !== undefined);
  return new X509Certificate(certificate.certPem);
}

test('a host gets a certificate of its own that the authority signed, and keeps it', async (t) => {
  const { source, authority } = await start(t);
  const made = await source.forHost('hello.default.localhost');
  const certificate = read(made);
  assert.ok(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
  assert.equal(certificate.checkHost('hello.default.localhost'), 'hello.default.localhost');
  assert.equal(certificate.checkHost('other.default.localhost'), undefined);
  assert.equal(await source.forHost('hello.default.localhost'), made);
});

test('many who ask for one host at once get one certificate', async (t) => {
  const { source } = await start(t);
  const asked = Array.from({ length: 20 }, () => source.forHost('a.localhost'));
  assert.equal(new Set(await Promise.all(asked)).size, 1);
});

test('there is none for hosts of the fallback, of strangers, and what is no name', async (t) => {
  const { source } = await start(t);
  const none = ['localhost', '127.0.0.1', '10.0.0.1', '::1', 'example.com', '', '.localhost'];
  const strange = ['a b.localhost', '*.localhost', `${'a.'.repeat(200)}localhost`, 'ä.localhost'];
  for (const host of [...none, ...strange]) assert.equal(await source.forHost(host), undefined);
});

test('a certificate is made anew before its end, for a host and for all others', async (t) => {
  const { clock, source } = await start(t);
  const host = 'a.localhost';
  const first = await source.forHost(host);
  const before = source.fallback;
  await clock.advance(29 * dayMs);
  assert.equal(await source.forHost(host), first);
  assert.equal(source.fallback, before);
  await clock.advance(32 * dayMs);
  const second = await source.forHost(host);
  assert.ok(read(second).validToDate > read(first).validToDate);
  assert.equal(source.fallback, before, 'whoever asks first still gets the old one');
  while (source.fallback === before) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(read(source.fallback).checkIP('127.0.0.1'), '127.0.0.1');
});

test('a flood of hosts is kept within its bounds', async (t) => {
  const { source } = await start(t);
  const asked = Array.from({ length: 100 }, (_, i) => source.forHost(`at-once-${i}.localhost`));
  const made = (await Promise.all(asked)).filter((certificate) => certificate !== undefined);
  assert.equal(made.length, gatewayCertificatesInWorkMax);
  const first = await source.forHost('first.localhost');
  for (let i = 0; i < gatewayCertificatesMax; i++) await source.forHost(`host-${i}.localhost`);
  assert.notEqual(await source.forHost('first.localhost'), first);
});
