import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import {
  encodeFields,
  encodeFrame,
  type FieldList,
  FrameClient,
  fieldsWith,
  flags,
  frameTypes,
  headersFrame,
  resetFrame,
  usualFields,
} from './frame-client.ts';
import { eventually, type Rig, type RigOptions, revision, startRig } from './rig.ts';

interface Seen {
  readonly rig: Rig;
  /** The requests that reached the function, but for what is new in each. */
  readonly seen: readonly string[];
}

async function start(t: TestContext, options: RigOptions = {}): Promise<Seen> {
  const rig = await startRig(t, options);
  const seen: string[] = [];
  const endpoint = await rig.instance((incoming, answer) => {
    const fields = incoming.rawHeaders.join('\n').replace(/(x-request-id|traceparent)\n.*/gi, '');
    incoming.on('error', () => {});
    incoming.on('end', () => {
      const trailers = JSON.stringify(incoming.trailers);
      seen.push(`${incoming.method} ${incoming.url}\n${fields}${trailers}`);
      answer.end('hello');
    });
    incoming.resume();
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  return { rig, seen };
}

const whole = flags.endStream | flags.endHeaders;

/** What HTTP/1.1 would read otherwise, or two readers in two ways. */
const harmful: readonly (readonly [name: string, fields: FieldList])[] = [
  ['Connection', fieldsWith(['connection', 'close'])],
  ['Keep-Alive', fieldsWith(['keep-alive', '5'])],
  ['Proxy-Connection', fieldsWith(['proxy-connection', 'close'])],
  ['Transfer-Encoding', fieldsWith(['transfer-encoding', 'chunked'])],
  ['Upgrade', fieldsWith(['upgrade', 'websocket'])],
  ['TE for something else', fieldsWith(['te', 'gzip'])],
  ['a name in capitals', fieldsWith(['X-Up', '1'])],
  ['a name with a colon', fieldsWith(['host: evil\r\nx', '1'])],
  ['a name with a colon in it', fieldsWith(['a:b', '1'])],
  ['a name with a blank', fieldsWith(['a b', '1'])],
  ['an empty name', fieldsWith(['', '1'])],
  ['CRLF in a value', fieldsWith(['x-a', '1\r\nx-b: 2'])],
  ['LF in a value', fieldsWith(['x-a', '1\nx-b: 2'])],
  ['a NUL in a value', fieldsWith(['x-a', '1\x002'])],
  ['CRLF in the path', fieldsWith([':path', '/default/hello/ HTTP/1.1\r\nx-a: 1'])],
  ['a blank in the path', fieldsWith([':path', '/default/hello/ HTTP/1.0'])],
  ['a fragment in the path', fieldsWith([':path', '/default/hello/#a'])],
  ['an empty path', fieldsWith([':path', ''])],
  ['a path without slash', fieldsWith([':path', 'default/hello/'])],
  ['a path that is a URL', fieldsWith([':path', 'http://evil/default/hello/'])],
  ['CRLF in the authority', fieldsWith([':authority', 'a\r\nx-a: 1'])],
  ['a user in the authority', fieldsWith([':authority', 'a@localhost'])],
  ['an authority besides Host', fieldsWith([':authority', 'a'], ['host', 'b'])],
  ['two Hosts', fieldsWith(['host', 'localhost'], ['host', 'localhost'])],
  ['a blank in the method', fieldsWith([':method', 'GET /default/hello/smuggled'])],
  ['a method in small letters', fieldsWith([':method', 'get'])],
  [
    'CONNECT',
    [
      [':method', 'CONNECT'],
      [':authority', 'localhost:80'],
    ],
  ],
  ['another protocol', fieldsWith([':method', 'CONNECT'], [':protocol', 'connect-udp'])],
  ['a protocol without CONNECT', fieldsWith([':protocol', 'websocket'])],
  ['no method', usualFields.filter(([name]) => name !== ':method')],
  ['no scheme', usualFields.filter(([name]) => name !== ':scheme')],
  ['no path', usualFields.filter(([name]) => name !== ':path')],
  ['no authority', usualFields.filter(([name]) => name !== ':authority')],
  ['two paths', [...usualFields, [':path', '/default/hello/b']]],
  ['an unknown pseudo-header field', [[':evil', '1'], ...usualFields]],
  ['a pseudo-header field after others', [['x-a', '1'], ...usualFields]],
  ['a length without a body', fieldsWith(['content-length', '5'])],
  ['two lengths', fieldsWith(['content-length', '0'], ['content-length', '0'])],
  ['a signed length', fieldsWith(['content-length', '+0'])],
  ['a list of lengths', fieldsWith(['content-length', '0, 0'])],
];

test('what HTTP/1.1 could read otherwise does not reach a function', async (t) => {
  const { rig, seen } = await start(t);
  const [usual] = await seenOf(rig, seen, usualFields);
  for (const [name, fields] of harmful) {
    // Where only a single field is impossible, nghttp2 may do as if it were not there.
    for (const reached of await seenOf(rig, seen, fields)) assert.deepEqual(reached, usual, name);
  }
});

/** What reaches the function of a request with these fields. */
async function seenOf(rig: Rig, seen: readonly string[], fields: FieldList): Promise<string[]> {
  const before = seen.length;
  const client = new FrameClient(rig);
  client.send(headersFrame(1, fields, whole));
  await client.outcome(1).catch(() => 'the connection is cut');
  client.raw.socket.destroy();
  return seen.slice(before);
}

test('a body that is not as long as it said is refused', async (t) => {
  const { rig, seen } = await start(t);
  for (const length of ['2', '5']) {
    const client = new FrameClient(rig);
    const fields = fieldsWith([':method', 'POST'], ['content-length', length]);
    const data = { type: frameTypes.data, flags: 1, stream: 1, payload: Buffer.from('abc') };
    client.send(headersFrame(1, fields, flags.endHeaders), encodeFrame(data));
    assert.notEqual(await client.outcome(1).catch(() => 'the connection is cut'), 'answer');
  }
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
  assert.deepEqual(seen, []);
});

test('trailers do not become a request', async (t) => {
  const { rig, seen } = await start(t);
  const client = new FrameClient(rig);
  const smuggled = '1\r\n\r\nGET /default/hello/smuggled HTTP/1.1';
  client.send(
    headersFrame(1, fieldsWith([':method', 'POST']), flags.endHeaders),
    headersFrame(1, [['x-a', smuggled]], whole),
  );
  await client.outcome(1);
  assert.equal(seen.length, 1);
  assert.doesNotMatch(seen.join(), /smuggled/);
});

test('the preface counts at the very beginning only, and only as it is', async (t) => {
  const { rig } = await start(t);
  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
  const late = await rig.exchange(`GET /-/healthz HTTP/1.1\r\nHost: x\r\n\r\n${preface}`);
  assert.match(late, /HTTP\/1.1 505 [\s\S]*Connection: close/);
  const broken = await rig.exchange('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n');
  assert.doesNotMatch(broken, /HTTP\/1.1 200/);
  const slow = rig.client();
  for (const octet of preface) {
    slow.send(octet);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await slow.until((received) => received.charCodeAt(3) === frameTypes.settings);
});

test('Upgrade: h2c, which is obsolete, is answered in HTTP/1.1', async (t) => {
  const { rig } = await start(t);
  const received = await rig.exchange(
    'GET /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\n' +
      'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
  );
  assert.match(received, /^HTTP\/1.1 200 OK[\s\S]*hello$/);
});

test('an answer of odd fields, statuses and trailers ends its own call at most', async (t) => {
  const rig = await startRig(t);
  const odd = 'Proxy-Connection: a\r\nTE: gzip\r\nHTTP2-Settings: AA\r\nDate: a\r\nDate: b\r\n';
  const chunked = 'Transfer-Encoding: chunked\r\n';
  const end = '2\r\nhi\r\n0\r\n';
  const answers = [
    `HTTP/1.1 200 OK\r\n${odd}Content-Length: 2\r\n\r\nhi`,
    `HTTP/1.1 200 OK\r\n${chunked}\r\n${end}Connection: x\r\nTE: a\r\nUpgrade: b\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${chunked}\r\n${end}Status: 1\r\nX-A: 1\r\nX-A: 2\r\n\r\n`,
    `HTTP/1.1 205 Reset\r\n${chunked}\r\n${end}\r\n`,
    'HTTP/1.1 304 Same\r\nContent-Length: 7\r\n\r\n',
    `HTTP/1.1 103 Hints\r\n${odd}\r\nHTTP/1.1 599 Odd\r\nContent-Length: 0\r\n\r\n`,
    'HTTP/1.1 200\r\nConnection: close\r\n\r\nuntil the end',
  ];
  const endpoint = await rig.rawInstance((socket) => {
    socket.setEncoding('latin1').on('data', (request: string) => {
      const answer = answers[Number(/^GET \/(\d)/.exec(request)?.[1])] ?? '';
      if (answer.includes('close')) socket.end(answer);
      else socket.write(answer);
    });
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = new FrameClient(rig);
  for (const index of answers.keys()) {
    const path = [':path', `/default/hello/${index}`] as const;
    client.send(headersFrame(2 * index + 1, fieldsWith(path, ['te', 'trailers']), whole));
  }
  for (const index of answers.keys()) await client.outcome(2 * index + 1);
  assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
});

test('more streams at once than allowed are refused; the others go on', async (t) => {
  const rig = await startRig(t, { limits: { streamsMax: 3 } });
  const client = new FrameClient(rig);
  await client.frame(frameTypes.settings);
  client.send(...[1, 3, 5, 7].map((stream) => headersFrame(stream, usualFields, whole)));
  assert.equal(await client.outcome(7), 7, 'REFUSED_STREAM');
  rig.gateway.setEndpoints(revision, [await rig.instance((_, answer) => answer.end())]);
  for (const stream of [1, 3, 5]) assert.equal(await client.outcome(stream), 'answer');
});

test('streams beyond the room of the Gateway are refused, so that they may be tried elsewhere', async (t) => {
  const rig = await startRig(t, { limits: { connectionsMax: 1 } });
  const client = new FrameClient(rig);
  client.send(headersFrame(1, usualFields, whole), headersFrame(3, usualFields, whole));
  assert.equal(await client.outcome(3), 7, 'REFUSED_STREAM');
});

test('clients beyond the bound are closed, and room is made when one leaves', async (t) => {
  const rig = await startRig(t, { limits: { http2ClientsMax: 1 } });
  const first = new FrameClient(rig);
  await first.frame(frameTypes.settings);
  assert.equal(await new FrameClient(rig).raw.untilEnd(), '');
  first.raw.socket.destroy();
  let isLetIn = false;
  while (!isLetIn) {
    isLetIn = await new FrameClient(rig).frame(frameTypes.settings).then(
      () => true,
      () => false,
    );
  }
});

/** Sends the frames and waits until the Gateway has had enough. */
async function cutOffBy(rig: Rig, frames: readonly Buffer[]): Promise<void> {
  const client = new FrameClient(rig);
  await client.frame(frameTypes.settings);
  client.send(...frames);
  await client.raw.untilEnd();
}

test('who takes back requests all the time is cut off (CVE-2023-44487)', async (t) => {
  const { rig, seen } = await start(t);
  const frames = Array.from({ length: 2_000 }, (_, i) => [
    headersFrame(2 * i + 1, usualFields, whole),
    resetFrame(2 * i + 1),
  ]).flat();
  await cutOffBy(rig, frames);
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
  assert.ok(seen.length <= 512, `${seen.length} calls were made of it`);
});

test('floods of frames that cost us more than their sender are cut off', async (t) => {
  const { rig } = await start(t);
  const empty = Buffer.alloc(0);
  const many = (frame: Buffer): Buffer[] => Array.from({ length: 20_000 }, () => frame);
  const ping = { type: frameTypes.ping, flags: 0, stream: 0, payload: Buffer.alloc(8) };
  await cutOffBy(rig, many(encodeFrame(ping)));
  const settings = { type: frameTypes.settings, flags: 0, stream: 0, payload: empty };
  await cutOffBy(rig, many(encodeFrame(settings)));
  const post = headersFrame(1, fieldsWith([':method', 'POST']), flags.endHeaders);
  const data = { type: frameTypes.data, flags: 0, stream: 1, payload: empty };
  await cutOffBy(rig, [post, ...many(encodeFrame(data))]);
});

test('a header block without end is cut off', async (t) => {
  const { rig } = await start(t);
  const piece = encodeFields([['x-a', 'a'.repeat(1000)]]);
  const more = { type: frameTypes.continuation, flags: 0, stream: 1, payload: piece };
  const frames = Array.from({ length: 1_000 }, () => encodeFrame(more));
  await cutOffBy(rig, [headersFrame(1, usualFields, 0), ...frames]);
});

test('more fields than anybody has are refused', async (t) => {
  const { rig, seen } = await start(t);
  for (const count of [200, 1_000]) {
    const client = new FrameClient(rig);
    const fields = Array.from({ length: count }, (_, i) => [`x-${i}`, '1'] as const);
    client.send(headersFrame(1, [...usualFields, ...fields], whole));
    await client.outcome(1);
    client.raw.socket.destroy();
  }
  assert.deepEqual(seen, []);
});

test('a client without a request is told to leave: before the first, and between two', async (t) => {
  const clock = new VirtualClock();
  const { rig } = await start(t, { clock });
  const silent = new FrameClient(rig);
  const idle = new FrameClient(rig);
  await silent.frame(frameTypes.settings);
  idle.send(headersFrame(1, usualFields, whole));
  assert.equal(await idle.outcome(1), 'answer');
  await clock.advance(15_200);
  await silent.frame(frameTypes.goaway);
  await silent.raw.untilEnd();
  assert.equal(idle.raw.ended, false);
  await clock.advance(60_000);
  await idle.frame(frameTypes.goaway);
  await idle.raw.untilEnd();
});

test('a client that opens no window for its answer is cut off, in its own time', async (t) => {
  const clock = new VirtualClock();
  const { rig } = await start(t, { clock });
  const windowSetting = 4;
  const client = new FrameClient(rig, [windowSetting, 0]);
  client.send(headersFrame(1, usualFields, whole));
  await client.frame(frameTypes.headers, 1);
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
  await clock.advance(55_000);
  assert.ok(!client.frames.some(({ type }) => type === frameTypes.reset));
  await clock.advance(7_000);
  assert.notEqual(await client.outcome(1), 'answer');
});

/** RFC 9113 §7. */
const internalError = 2;

test('a client that goes on after GOAWAY is cut off at the end of the grace period', async (t) => {
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock });
  rig.gateway.setEndpoints(revision, [await rig.instance(() => {})]);
  const client = new FrameClient(rig);
  client.send(headersFrame(1, usualFields, whole));
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 1);
  const closed = rig.gateway.close({ graceMs: 1_000 });
  await client.frame(frameTypes.goaway);
  client.send(headersFrame(3, usualFields, whole));
  await clock.advance(1_000);
  await closed;
  await client.raw.untilEnd();
  assert.ok(!client.frames.some(({ stream }) => stream === 3));
  // The answer that is missing is no answer that was short.
  const goodbye = client.frames.findLast(({ type }) => type === frameTypes.goaway);
  assert.equal(goodbye?.payload.readUInt32BE(4), internalError);
});
