import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type CertificatePair, createAuthority, signServerCertificate } from '@fnlet/client/tls';
import { secretType } from '../src/http/trigger-policies.ts';
import { namespace, World } from './world.ts';

const lifeMs = 86_400_000;
let authority: CertificatePair;

before(async () => {
  authority = await createAuthority({ commonName: 'test', now: 0, lifeMs: 1e12 * 10 });
});

async function startWorld(): Promise<World> {
  const world = await World.start();
  await world.createFunction('hello');
  return world;
}

function certificate(world: World, ...hosts: string[]): Promise<CertificatePair> {
  const now = world.cluster.clock.now();
  return signServerCertificate(authority, hosts, { commonName: 'test', now, lifeMs });
}

async function putSecret(world: World, name: string, pair: CertificatePair): Promise<void> {
  const data = {
    'tls.crt': Buffer.from(pair.certPem).toString('base64'),
    'tls.key': Buffer.from(pair.keyPem).toString('base64'),
  };
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'kubernetes.io/tls',
    data,
  };
  await world.cluster.client.of(secretType).apply(object, { force: true });
  await world.cluster.settle();
}

const hosts = ['shop.example.com'];
const tls = { secretName: 'shop-tls' };

/** A world whose Gateway speaks TLS. */
async function startSecureWorld(): Promise<World> {
  const world = await startWorld();
  world.urls = { http: 'http://127.0.0.1:8080', https: 'https://127.0.0.1:8443' };
  await world.restart();
  await world.listen();
  return world;
}

test('a Trigger may be for TLS only, with the certificate that the Gateway makes', async () => {
  await using world = await startSecureWorld();
  await world.apply('shop', { hosts, tls: { redirect: true } });
  assert.equal((await world.ready('shop'))?.reason, 'Ready');
  assert.equal(await world.url('shop'), 'https://shop.example.com:8443/');
  assert.equal(world.routes.get('default/shop')?.httpsOnly, true);
  await world.apply('shop', { hosts, tls: { redirect: false } });
  assert.equal(world.routes.get('default/shop')?.httpsOnly, undefined);
});

test('a host is shown the certificate of its Secret, as soon as that is there, and the newest', async () => {
  await using world = await startSecureWorld();
  await world.apply('shop', { hosts, tls });
  assert.equal((await world.ready('shop'))?.reason, 'CertificateNotFound');
  assert.equal(world.certificates.size, 0);
  assert.equal(await world.url('shop'), 'https://shop.example.com:8443/');

  const first = await certificate(world, ...hosts);
  await putSecret(world, 'shop-tls', first);
  assert.deepEqual(world.certificates.get('shop.example.com'), { ...first });
  assert.equal((await world.ready('shop'))?.reason, 'Ready');

  const second = await certificate(world, ...hosts);
  await putSecret(world, 'shop-tls', second);
  assert.equal(world.certificates.get('shop.example.com')?.certPem, second.certPem);
  await world.apply('shop', { hosts });
  assert.equal(world.certificates.size, 0);
});

test('a certificate is shown after a restart before anybody can call', async () => {
  await using world = await startSecureWorld();
  const pair = await certificate(world, ...hosts);
  await putSecret(world, 'shop-tls', pair);
  await world.apply('shop', { hosts, tls });
  await world.restart();
  world.certificates = new Map();
  await world.cluster.settle();
  assert.equal(world.certificates.get('shop.example.com')?.certPem, pair.certPem);
});

test('a broken certificate is not shown, one for other hosts is, and both are told', async () => {
  await using world = await startSecureWorld();
  const pair = await certificate(world, 'other.example.com');
  await putSecret(world, 'shop-tls', pair);
  await world.apply('shop', { hosts, tls });
  assert.match((await world.ready('shop'))?.message ?? '', /not for shop\.example\.com$/);
  assert.equal(world.certificates.size, 1);
  await putSecret(world, 'shop-tls', { ...pair, keyPem: 'x' });
  assert.equal((await world.ready('shop'))?.reason, 'CertificateInvalid');
  assert.equal(world.certificates.size, 0);
});

test('that a certificate is over is told when it is', async () => {
  await using world = await startSecureWorld();
  await putSecret(world, 'shop-tls', await certificate(world, ...hosts));
  await world.apply('shop', { hosts, tls });
  assert.equal((await world.ready('shop'))?.reason, 'Ready');
  await world.cluster.advance('25h');
  assert.match((await world.ready('shop'))?.message ?? '', /it was good until/);
});

test('a host has the certificate of its oldest Trigger; the same Secret is no conflict', async () => {
  await using world = await startSecureWorld();
  const first = await certificate(world, ...hosts);
  await putSecret(world, 'shop-tls', first);
  await putSecret(world, 'other-tls', await certificate(world, ...hosts));
  await world.apply('one', { hosts, tls, paths: [{ prefix: '/1' }] });
  await world.cluster.advance('2s');
  await world.apply('two', { hosts, tls, paths: [{ prefix: '/2' }] });
  const other = { secretName: 'other-tls' };
  await world.apply('three', { hosts, tls: other, paths: [{ prefix: '/3' }] });
  assert.equal(world.certificates.get('shop.example.com')?.certPem, first.certPem);
  assert.equal((await world.ready('two'))?.reason, 'Ready');
  const conflict = await world.ready('three');
  assert.equal(conflict?.reason, 'RouteConflict');
  assert.match(conflict?.message ?? '', /^the certificate of shop\.example\.com belongs to .*one/);
  assert.equal(world.routes.get('default/three')?.matches.length, 1);
  await world.delete('one');
  await world.delete('two');
  assert.equal((await world.ready('three'))?.reason, 'Ready');
  assert.notEqual(world.certificates.get('shop.example.com')?.certPem, first.certPem);
});

test('a host of another namespace has no certificate from here', async () => {
  await using world = await startSecureWorld();
  await world.apply('kube-public/first', { hosts });
  await world.cluster.advance('2s');
  const asked = [...hosts, 'mine.example.com'];
  await putSecret(world, 'shop-tls', await certificate(world, ...asked));
  await world.apply('shop', { hosts: asked, tls });
  assert.equal(world.certificates.has('shop.example.com'), false);
  assert.deepEqual(world.taken('shop'), [' mine.example.com/']);
  await world.delete('kube-public/first');
  assert.equal(world.certificates.has('shop.example.com'), true);
  assert.equal((await world.ready('shop'))?.reason, 'Ready');
});

test('a Gateway that speaks no TLS is told about', async () => {
  await using world = await startWorld();
  await putSecret(world, 'shop-tls', await certificate(world, ...hosts));
  await world.apply('shop', { hosts, tls });
  const ready = await world.ready('shop');
  assert.equal(ready?.reason, 'TlsNotServed');
  assert.match(ready?.message ?? '', /--https-port/);
  assert.equal(await world.url('shop'), 'http://shop.example.com:8080/');
});
