import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { hasCode, VirtualClock } from '@fnlet/base';
import type { Certificate, CertificateSource } from '../src/fronts/certificate-table.ts';
import { createIdentity, onlyFallback } from './front-clients.ts';
import { eventually, RawClient, type Rig, type RigOptions, startRig } from './rig.ts';

const identity = await createIdentity();
const fallback = await identity.sign('fallback', 'localhost');

interface Ground {
  readonly rig: Rig;
  readonly port: number;
  /** Finishes a handshake. */
  readonly connect: (options?: ConnectionOptions) => Promise<TLSSocket>;
  /** The common name in the certificate that a client is shown that asks for this host. */
  readonly shownTo: (servername?: string) => Promise<string>;
}

async function start(
  t: TestContext,
  source: CertificateSource = onlyFallback(fallback),
  options: RigOptions = {},
): Promise<Ground> {
  const rig = await startRig(t, options);
  const { port } = await rig.gateway.listenTls({ host: '127.0.0.1', port: 0 }, source);
  const connect = async (wanted: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = tls.connect({
      ...{ host: '127.0.0.1', port, ca: identity.caPem },
      checkServerIdentity: () => undefined,
      ...wanted,
    });
    t.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  const shownTo = async (servername = ''): Promise<string> => {
    const socket = await connect({ servername });
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  };
  return { rig, port, connect, shownTo };
}

/** Asks for the health of the Gateway on an open connection. */
async function isServed(socket: TLSSocket): Promise<boolean> {
  socket.write('GET /-/healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  return String(chunk).startsWith('HTTP/1.1 200 OK');
}

test('a client is shown the certificate of the host, of its wildcard, or the fallback', async (t) => {
  const { rig, shownTo } = await start(t);
  const wildcard = await identity.sign('*.example.com');
  const exact = await identity.sign('api.example.com');
  rig.gateway.setCertificates(
    new Map([
      ['*.example.com', wildcard],
      ['API.example.com', exact],
    ]),
  );
  assert.equal(await shownTo('api.example.com'), 'api.example.com');
  assert.equal(await shownTo('api.EXAMPLE.com'), 'api.example.com');
  assert.equal(await shownTo('www.example.com'), '*.example.com');
  for (const host of ['a.www.example.com', 'example.com', 'com', 'other.org', undefined]) {
    assert.equal(await shownTo(host), 'fallback', host);
  }
});

test('certificates set before anybody listens are shown, too', async (t) => {
  const rig = await startRig(t);
  rig.gateway.setCertificates(new Map([['a.b', await identity.sign('a.b')]]));
  const source = onlyFallback(fallback);
  const { port } = await rig.gateway.listenTls({ host: '127.0.0.1', port: 0 }, source);
  const socket = tls.connect({ port, host: '127.0.0.1', ca: identity.caPem, servername: 'a.b' });
  await once(socket, 'secureConnect');
  assert.ok(socket.authorized);
  socket.destroy();
});

test('certificates change for the next handshake; connections stay', async (t) => {
  const { rig, connect, shownTo } = await start(t);
  rig.gateway.setCertificates(new Map([['a.b', await identity.sign('a.b', 'first')]]));
  const open = await connect({ servername: 'a.b' });
  rig.gateway.setCertificates(new Map([['a.b', await identity.sign('second', 'a.b')]]));
  assert.equal(await shownTo('a.b'), 'second');
  assert.ok(await isServed(open));
  rig.gateway.setCertificates(new Map());
  assert.equal(await shownTo('a.b'), 'fallback');
  assert.ok(await isServed(open));
});

test('a certificate that cannot be used is refused, and the others stay', async (t) => {
  const { rig, shownTo } = await start(t);
  const good = await identity.sign('a.b');
  rig.gateway.setCertificates(new Map([['a.b', good]]));
  const broken: readonly Certificate[] = [
    { certPem: 'x', keyPem: good.keyPem },
    { certPem: good.certPem, keyPem: '' },
    { certPem: good.certPem, keyPem: fallback.keyPem },
  ];
  for (const certificate of broken) {
    assert.throws(
      () => rig.gateway.setCertificates(new Map([['c.d', certificate]])),
      (error) => hasCode(error, 'CertificateBroken') && /"c\.d"/.test(error.message),
    );
  }
  assert.equal(await shownTo('a.b'), 'a.b');
});

test('the source has the last word, and may replace its fallback', async (t) => {
  const made = await identity.sign('made');
  const source = {
    fallback,
    forHost: async (host: string): Promise<Certificate | undefined> => {
      if (host === 'broken.host') throw new Error('no key today');
      return host === 'made.host' ? made : undefined;
    },
  };
  const { shownTo } = await start(t, source);
  assert.equal(await shownTo('MADE.host'), 'made');
  assert.equal(await shownTo('broken.host'), 'fallback');
  source.fallback = await identity.sign('renewed');
  assert.equal(await shownTo(), 'renewed');
  assert.equal(await shownTo('other.host'), 'renewed');
});

test('nothing older than TLS 1.2 is spoken, and nothing without forward secrecy', async (t) => {
  const { connect } = await start(t);
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const;
  await assert.rejects(connect(old));
  for (const ciphers of ['AES128-SHA', 'AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-SHA']) {
    await assert.rejects(connect({ maxVersion: 'TLSv1.2', ciphers }), ciphers);
  }
  assert.equal((await connect({ maxVersion: 'TLSv1.2' })).getProtocol(), 'TLSv1.2');
  assert.equal((await connect()).getProtocol(), 'TLSv1.3');
});

test('a session is resumed, and not renegotiated', async (t) => {
  const { connect } = await start(t);
  const first = await connect({ maxVersion: 'TLSv1.2' });
  const session = first.getSession();
  assert.ok(session !== undefined);
  const again = await connect({ maxVersion: 'TLSv1.2', session });
  assert.ok(again.isSessionReused());
  const refused = once(again, 'error');
  again.renegotiate({}, () => {});
  assert.match(String(await refused), /no renegotiation/);
});

test('ALPN picks HTTP/2 or HTTP/1.1; without it, it is HTTP/1.1; anything else is refused', async (t) => {
  const { connect } = await start(t);
  assert.equal((await connect({ ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol, 'h2');
  const plain = await connect({ ALPNProtocols: ['http/1.1'] });
  assert.equal(plain.alpnProtocol, 'http/1.1');
  assert.ok(await isServed(plain));
  assert.ok(await isServed(await connect()));
  await assert.rejects(connect({ ALPNProtocols: ['ftp'] }));
});

test('whoever does not finish a handshake is cut off in time', async (t) => {
  const clock = new VirtualClock();
  const { port } = await start(t, undefined, { clock });
  const silent = new RawClient(port);
  await once(silent.socket, 'connect');
  await eventually(() => clock.timers > 0);
  await clock.advance(9_900);
  assert.equal(silent.ended, false);
  await clock.advance(300);
  assert.equal(await silent.untilEnd(), '');
  const confused = new RawClient(port);
  confused.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.doesNotMatch(await confused.untilEnd(), /200 OK/);
  await eventually(() => clock.timers === 0);
});

test('handshakes in flight are bounded, and make room for others when they end', async (t) => {
  const { port, connect } = await start(t, undefined, { limits: { handshakesMax: 2 } });
  await isServed(await connect());
  const waiting = [new RawClient(port), new RawClient(port)];
  for (const { socket } of waiting) await once(socket, 'connect');
  const third = new RawClient(port);
  assert.equal(await third.untilEnd(), '');
  waiting[0]?.socket.destroy();
  let connected = false;
  while (!connected) {
    connected = await connect().then(isServed, () => false);
  }
  waiting[1]?.socket.destroy();
});

test('close() does not wait for handshakes', async (t) => {
  const { rig, port } = await start(t);
  const silent = new RawClient(port);
  await once(silent.socket, 'connect');
  await rig.gateway.close({ graceMs: 0 });
  await silent.untilEnd();
});
