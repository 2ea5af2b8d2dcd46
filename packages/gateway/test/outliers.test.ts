/** Instances that accept calls and do not answer them well, beside one that does. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { Endpoint } from '../src/index.ts';
import { type Rig, type RigOptions, revision, startRig } from './rig.ts';

const ask = (method: string): string =>
  `${method} /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

interface Pair {
  readonly rig: Rig;
  /** The status of each of 40 calls, one after the other. */
  statuses(method: string): Promise<readonly string[]>;
}

/** A good Instance, and one that does what `bad` makes. */
async function startPair(
  t: TestContext,
  bad: (rig: Rig) => Promise<Endpoint>,
  options: RigOptions = {},
): Promise<Pair> {
  const rig = await startRig(t, options);
  const good = await rig.instance((_incoming, answer) => answer.end('good'));
  rig.gateway.setEndpoints(revision, [good, await bad(rig)]);
  const statuses = async (method: string): Promise<readonly string[]> => {
    const seen: string[] = [];
    for (let i = 0; i < 40; i++) seen.push((await rig.exchange(ask(method))).slice(9, 12));
    return seen;
  };
  return { rig, statuses };
}

const answering =
  (status: number) =>
  (rig: Rig): Promise<Endpoint> =>
    rig.instance((_incoming, answer) => answer.writeHead(status).end());

/** Sends `bytes` for every call and ends the connection; without any it cuts it. */
const raw =
  (bytes: string, onCall: () => void = () => {}) =>
  (rig: Rig): Promise<Endpoint> =>
    rig.rawInstance((socket) => {
      socket.on('data', () => {
        onCall();
        if (bytes === '') socket.destroy();
        else socket.end(bytes);
      });
    });

const count = (statuses: readonly string[], status: string): number =>
  statuses.filter((one) => one === status).length;

test('one that says that it is out of order gets five calls, and one more at a time', async (t) => {
  const clock = new VirtualClock();
  const { statuses } = await startPair(t, answering(503), { clock });
  assert.equal(count(await statuses('POST'), '503'), 5);
  assert.equal(count(await statuses('POST'), '503'), 0);
  await clock.advance(5000);
  assert.equal(count(await statuses('POST'), '503'), 1);
  await clock.advance(5000);
  assert.equal(count(await statuses('POST'), '503'), 0);
});

for (const [name, bytes] of [
  ['cuts calls off', ''],
  ['answers what nobody understands', 'hello\r\n\r\n'],
  ['breaks off within its answers', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'],
] as const) {
  test(`one that ${name} gets five calls`, async (t) => {
    let calls = 0;
    const { statuses } = await startPair(
      t,
      raw(bytes, () => calls++),
    );
    await statuses('POST');
    assert.equal(calls, 5);
  });
}

test('errors of the code eject nobody: the same code runs everywhere', async (t) => {
  const { statuses } = await startPair(t, answering(500));
  assert.ok(count([...(await statuses('POST')), ...(await statuses('POST'))], '500') > 20);
});

test('the only one goes on, whatever it answers', async (t) => {
  const { rig, statuses } = await startPair(t, answering(503));
  rig.gateway.setEndpoints(revision, [await answering(503)(rig)]);
  assert.equal(count(await statuses('POST'), '503'), 40);
});

test('calls are made a second time only as far as those that arrive pay for it', async (t) => {
  const rig = await startRig(t, {
    limits: { retryShare: 0.5, retriesPerSecond: 0, failuresMax: 1000 },
  });
  let attempts = 0;
  const dying = raw('', () => attempts++);
  rig.gateway.setEndpoints(revision, [await dying(rig), await dying(rig)]);
  for (let i = 0; i < 20; i++) assert.match(await rig.exchange(ask('GET')), /^HTTP\/1.1 502 /);
  assert.equal(attempts, 20 + 10);
});
