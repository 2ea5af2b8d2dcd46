/**
 * Requests with something broken in them, at random from a seed: whatever the Gateway makes of one,
 * an Instance only ever sees requests that the Gateway wrote.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, randomInt, seededRandom } from '@fnlet/base';
import { eventually, revision, startRig } from './rig.ts';

const seed = Number(process.env.SEED ?? 7);
const rounds = 250;

const hidden = 'GET /default/hello/hidden HTTP/1.1\r\nHost: x\r\n\r\n';
const requests = [
  'GET /default/hello/a HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /default/hello/b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  `POST /default/hello/c HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'POST /default/hello/d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n' +
    `${hidden.length.toString(16)};e=1\r\n${hidden}\r\n0\r\nX-Trailer: ${'t'.repeat(8)}\r\n\r\n`,
  `PUT /default/hello/e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n`,
];
const insertions = [
  ...['\r', '\n', '\r\n', '\0', ' ', '\t', '\x0b', '\xa0', ':', ';', ',', '0', '1', 'f', '-', '+'],
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: identity\r\n',
  ' folded\r\n',
  '0\r\n\r\n',
  hidden,
];

/** A few requests on one connection, with up to three changes. */
function mutate(random: Random): string {
  const pick = (from: readonly string[]): string => from[randomInt(random, from.length)] ?? '';
  let text = Array.from({ length: 1 + randomInt(random, 3) }, () => pick(requests)).join('');
  for (let change = randomInt(random, 4); change > 0; change--) {
    const at = randomInt(random, text.length + 1);
    const removed = randomInt(random, 3) === 0 ? 1 + randomInt(random, 4) : 0;
    text = text.slice(0, at) + pick(insertions) + text.slice(at + removed);
  }
  return text;
}

test(`no octets of a client become a request of their own (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const seen: string[] = [];
  let answered = 0;
  const rig = await startRig(t);
  const endpoint = await rig.instance((incoming, answer) => {
    const { headers, method, url } = incoming;
    const ids = headers['x-request-id'];
    if (headers['x-forwarded-for'] !== '127.0.0.1' || headers.traceparent === undefined) {
      seen.push(`${method} ${url} ${ids}`);
    }
    answered++;
    incoming.resume();
    incoming.on('error', () => {});
    incoming.on('end', () => answer.end('.'));
  });
  // What the Instance cannot read; the end of a call that was cancelled is none of it.
  endpoint.server.on('clientError', (error) => {
    const code = 'code' in error ? String(error.code) : '';
    if (code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') seen.push(error.message);
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const text = mutate(random);
    const client = rig.client();
    client.send(text);
    // A good request at the end: it is answered, or the connection is closed before.
    client.send('GET /default/hello/end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    // What is not over soon waits for more of a body.
    for (let turn = 0; turn < 50 && !client.ended; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.end();
    const received = await client.untilEnd();
    if (/HTTP\/1.1 (4|5)\d\d /.test(received)) refused++;
    assert.deepEqual(seen, [], `round ${round}: ${JSON.stringify(text)}`);
  }
  await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
  // Both happen often: neither is everything refused, nor does everything pass.
  assert.ok(refused > rounds / 10 && answered > rounds / 10, `${refused} ${answered}`);
});
