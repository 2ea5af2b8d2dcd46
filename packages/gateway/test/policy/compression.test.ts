import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { silentLogger, systemClock } from '@fnlet/base';
import { RoutePolicies, type RoutePolicySettings } from '../../src/policies.ts';
import { Compression } from '../../src/policy/compression/compression.ts';
import { CompressionSlots } from '../../src/policy/compression/compression-slots.ts';
import { eventually, gate, type Rig, revision, startWarmRig } from '../rig.ts';

const fetchJson = async (): Promise<unknown> => ({});
const policies = new RoutePolicies({ clock: systemClock, logger: silentLogger, fetchJson });

async function compressing(
  t: TestContext,
  listener: RequestListener,
  settings: RoutePolicySettings['compression'] = {},
): Promise<Rig> {
  const policy = policies.make('t', { compression: settings });
  return startWarmRig(t, listener, { route: { policy } });
}

interface Seen {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** Asks on a connection of its own, and takes the answer out of its chunks. */
async function get(rig: Rig, lines: readonly string[], start = 'GET 1.1'): Promise<Seen> {
  const [method, version] = start.split(' ');
  const given = ['Host: x', 'Connection: close', ...lines].join('\r\n');
  const answer = await rig.exchange(
    `${method} /default/hello/ HTTP/${version}\r\n${given}\r\n\r\n`,
  );
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.slice(0, end + 2);
  const rest = Buffer.from(answer.slice(end + 4), 'latin1');
  const body = /transfer-encoding: chunked/i.test(head) ? dechunk(rest) : rest;
  return { status: Number(head.slice(9, 12)), head, body };
}

function dechunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (size === 0) {
      assert.equal(bytes.toString('latin1', line), '\r\n\r\n');
      return Buffer.concat(parts);
    }
    assert.ok(size > 0);
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

const html = '<p>hello, hello, hello</p>\n'.repeat(200);

test('an answer is compressed as the client likes it, whole and in pieces', async (t) => {
  const rig = await compressing(t, (incoming, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.setHeader('etag', '"v1"');
    if (incoming.headers['x-pieces'] === undefined) answer.setHeader('content-length', html.length);
    for (let from = 0; from < html.length; from += 700) answer.write(html.slice(from, from + 700));
    answer.end();
  });
  for (const pieces of [[], ['X-Pieces: 1']]) {
    for (const [coding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
      ['zstd', zstdDecompressSync],
    ] as const) {
      const { head, body } = await get(rig, [`Accept-Encoding: ${coding}`, ...pieces]);
      assert.equal(decode(body).toString(), html);
      assert.ok(body.length < html.length / 4);
      assert.match(head, new RegExp(`\r\nContent-Encoding: ${coding}\r\n`));
      assert.match(head, /\r\nVary: Accept-Encoding\r\n/);
      assert.match(head, /\r\nETag: W\/"v1"\r\n/);
      assert.doesNotMatch(head, /content-length/i);
      assert.equal(head.match(/transfer-encoding/gi)?.length, 1);
    }
  }
  const plain = await get(rig, []);
  assert.equal(plain.body.toString(), html);
  assert.match(plain.head, /\r\nVary: Accept-Encoding\r\n/);
  assert.match(plain.head, /\r\netag: "v1"\r\n/);
});

test('connections are kept, and answers keep their order', async (t) => {
  let calls = 0;
  const rig = await compressing(t, (_, answer) => {
    calls++;
    answer.setHeader('content-type', 'text/plain');
    answer.end(`${calls} ${html}`);
  });
  const client = rig.client();
  const ask = 'GET /default/hello/ HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n';
  client.send(`${ask}\r\n${ask}\r\n${ask}Connection: close\r\n\r\n`);
  const answers = (await client.untilEnd()).split('HTTP/1.1 200').slice(1);
  const bodies = answers.map((answer) => {
    const rest = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    return gunzipSync(dechunk(Buffer.from(rest, 'latin1'))).toString();
  });
  assert.deepEqual(
    bodies,
    [1, 2, 3].map((count) => `${count} ${html}`),
  );
});

test('what is no text, is short, is encoded already or is a part stays as it is', async (t) => {
  const rig = await compressing(t, (incoming, answer) => {
    const [type = 'text/plain', ...others] = `${incoming.headers['x-say']}`.split('|');
    answer.setHeader('content-type', type);
    for (const other of others) {
      const [name = '', value = ''] = other.split('=');
      answer.setHeader(name, value);
    }
    answer.statusCode = Number(incoming.headers['x-status'] ?? 200);
    answer.end(html);
  });
  for (const lines of [
    ['X-Say: image/png'],
    ['X-Say: text/plain|content-encoding=x'],
    ['X-Say: text/plain|cache-control=no-transform'],
    ['X-Say: text/plain|content-range=bytes 0-1/2', 'X-Status: 206'],
  ]) {
    const { head, body } = await get(rig, ['Accept-Encoding: gzip', ...lines]);
    assert.equal(body.toString(), html);
    assert.doesNotMatch(head, /gzip/);
  }
  const head = await get(rig, ['Accept-Encoding: gzip', 'X-Say: text/plain'], 'HEAD 1.1');
  assert.equal(head.body.length, 0);
  assert.doesNotMatch(head.head, /content-encoding/i);
  const legacy = await get(rig, ['Accept-Encoding: gzip', 'X-Say: text/plain'], 'GET 1.0');
  assert.equal(legacy.body.toString(), html);
});

test('HEAD says what GET says, and 304 what the answer was that has not changed', async (t) => {
  const rig = await compressing(t, (incoming, answer) => {
    answer.setHeader('etag', '"v1"');
    if (incoming.headers['if-none-match'] !== undefined) {
      answer.statusCode = 304;
      answer.end();
      return;
    }
    answer.setHeader('content-type', 'text/html');
    answer.setHeader('content-length', html.length);
    answer.end(html);
  });
  const described = (head: string): readonly string[] =>
    head
      .split('\r\n')
      .filter((line) => /^(?:content-|etag|vary|transfer-)/i.test(line))
      .filter((line) => !/^transfer-encoding: chunked$/i.test(line))
      .sort();
  for (const lines of [['Accept-Encoding: gzip'], ['Accept-Encoding: identity']]) {
    const [whole, bare] = [await get(rig, lines), await get(rig, lines, 'HEAD 1.1')];
    assert.equal(bare.body.length, 0);
    assert.deepEqual(described(bare.head), described(whole.head));
  }
  const known = await get(rig, ['Accept-Encoding: gzip', 'If-None-Match: W/"v1"']);
  assert.equal(known.status, 304);
  assert.deepEqual(described(known.head), ['ETag: W/"v1"', 'Vary: Accept-Encoding']);
  const plain = await get(rig, ['If-None-Match: "v1"']);
  assert.deepEqual(described(plain.head), ['Vary: Accept-Encoding', 'etag: "v1"']);
});

test('every event of a stream arrives as soon as it is sent', async (t) => {
  for (const [coding, decoder] of [
    ['gzip', createGunzip()],
    ['br', createBrotliDecompress()],
    ['zstd', createZstdDecompress()],
  ] as const) {
    let send: (text: string) => void = () => {};
    const rig = await compressing(t, (_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      send = (text) => void answer.write(text);
      send('data: 0\n\n');
    });
    const client = rig.client();
    client.send(`GET /default/hello/ HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`);
    let events = '';
    let decodedBytes = 0;
    decoder.on('data', (chunk) => {
      events += chunk;
    });
    for (let i = 0; i < 5; i++) {
      if (i > 0) send(`data: ${i}\n\n`);
      await eventually(() => {
        const rest = client.received.slice(client.received.indexOf('\r\n\r\n') + 4);
        if (!rest.endsWith('\r\n')) return false;
        const bytes = dechunk(Buffer.from(`${rest}0\r\n\r\n`, 'latin1'));
        if (bytes.length > decodedBytes) decoder.write(bytes.subarray(decodedBytes));
        decodedBytes = bytes.length;
        return events.includes(`data: ${i}\n\n`);
      });
    }
    decoder.destroy();
  }
});

test('with all slots taken answers are not compressed; every end gives one back', async (t) => {
  const slots = new CompressionSlots(1);
  const monotonicMs = (): number => systemClock.monotonicMs();
  const coding = new Compression({ settings: {}, slots, monotonicMs });
  const policy = { admit: () => ({ kind: 'pass', coding }) as const };
  const held = gate();
  const rig = await startWarmRig(
    t,
    async (incoming, answer) => {
      answer.writeHead(200, { 'content-type': 'text/plain' });
      answer.write(html);
      if (incoming.url === '/held') await held.opened;
      if (incoming.url === '/cut') setImmediate(() => incoming.socket.destroy());
      else answer.end();
    },
    { route: { policy } },
  );
  const isCompressed = async (): Promise<boolean> =>
    /gzip/.test((await get(rig, ['Accept-Encoding: gzip'])).head);
  const ask = (path: string): string =>
    `GET /default/hello${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`;
  assert.equal(await isCompressed(), true);
  const first = rig.client();
  first.send(ask('/held'));
  await first.until((received) => received.includes('gzip'));
  assert.equal(await isCompressed(), false);
  first.socket.destroy();
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
  assert.equal(await isCompressed(), true);
  await rig.exchange(ask('/cut'));
  assert.equal(await isCompressed(), true);
  assert.deepEqual([slots.take(), slots.take()], [true, false]);
  held.open();
});

test('a client that does not read holds up the Instance, and gets all of it in the end', async (t) => {
  const block = randomBytes(65_536).toString('base64');
  const blocks = 200;
  let sent = 0;
  const rig = await compressing(t, async (_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/plain' });
    for (; sent < blocks; sent++) {
      if (!answer.write(block)) await new Promise((resolve) => answer.once('drain', resolve));
    }
    answer.end();
  });
  const client = rig.client();
  client.socket.pause();
  client.send('GET /default/hello/ HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n');
  client.send('Connection: close\r\n\r\n');
  let before = -1;
  for (let still = 0; still < 300; still++) {
    if (sent !== before) still = 0;
    before = sent;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(sent < blocks, 'all of it was read before the client read anything');
  client.socket.resume();
  const answer = await client.untilEnd();
  const rest = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
  assert.equal(gunzipSync(dechunk(rest)).toString(), block.repeat(blocks));
});

test('a client that goes away ends the call, and an Instance that does cuts the answer', async (t) => {
  let closed = 0;
  const rig = await compressing(t, (incoming, answer) => {
    answer.writeHead(200, { 'content-type': 'text/plain' });
    answer.write(html);
    incoming.socket.on('close', () => closed++);
    if (incoming.url === '/cut') setImmediate(() => incoming.socket.destroy());
  });
  const ask = (path: string): string =>
    `GET /default/hello${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`;
  const client = rig.client();
  client.send(ask('/'));
  await client.until((received) => received.includes('Content-Encoding: gzip'));
  client.socket.destroy();
  await eventually(() => closed === 1);
  const cut = await rig.exchange(ask('/cut'));
  assert.doesNotMatch(cut, /0\r\n\r\n$/);
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
});

test('interim answers, other protocols and failures pass as they are', async (t) => {
  const rig = await compressing(t, (incoming, answer) => {
    if (incoming.url === '/hints') answer.writeEarlyHints({ link: '</a>; rel=preload' });
    answer.setHeader('content-type', 'text/plain');
    answer.end(html);
  });
  const hints = await rig.exchange(
    'GET /default/hello/hints HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n',
  );
  assert.match(hints, /^HTTP\/1.1 103 [\s\S]*?\r\n\r\nHTTP\/1.1 200 [\s\S]*Content-Encoding: gzip/);
  rig.gateway.setEndpoints(revision, [
    await rig.rawInstance((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhi ');
        socket.on('data', (chunk) => socket.write(`<${chunk}>`));
      });
    }),
  ]);
  const client = rig.client();
  client.send(
    'GET /default/hello/ HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n' +
      'Connection: Upgrade\r\nUpgrade: echo\r\n\r\n',
  );
  await client.until((received) => received.endsWith('hi '));
  client.send('there');
  await client.until((received) => received.endsWith('<there>'));
  rig.gateway.setEndpoints(revision, [await rig.rawInstance((socket) => socket.end('nonsense'))]);
  const broken = await get(rig, ['Accept-Encoding: gzip']);
  assert.equal(broken.status, 502);
});
