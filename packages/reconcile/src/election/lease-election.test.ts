import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, sleep } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { createElection, leaseOf } from '../../test/simulated-election.ts';
import { SimulatedWorld } from '../../test/simulated-world.ts';

test('a leader renews every two seconds, and gives the Lease back when its work has ended', async () => {
  await using world = await SimulatedWorld.open(1);
  const election = createElection(world.addNode());
  const stop = new AbortController();
  const notes: string[] = [];
  const running = election.run(stop.signal, async (signal) => {
    notes.push('leads');
    while (await sleep(world.clock, 1000, signal));
    await sleep(world.clock, 30_000);
    notes.push(`stopped, still leader: ${election.isLeader}`);
  });
  await world.run(10_000, () => {});
  const before = await leaseOf(world);
  stop.abort();
  await world.run(29_000, () => {});
  assert.equal((await leaseOf(world)).spec?.holderIdentity, 'node-0');
  await world.run(2_000, () => {});
  await running;
  assert.deepEqual(notes, ['leads', 'stopped, still leader: true']);
  assert.equal(election.isLeader, false);
  const after = await leaseOf(world);
  assert.equal(after.spec?.holderIdentity, '');
  const writes = Number(after.metadata.resourceVersion) - Number(before.metadata.resourceVersion);
  assert.ok(writes >= 14 && writes <= 17, `${writes} writes in 30 s`);
});

test('work is told why it must stop when the API stays away, and leads again afterwards', async () => {
  await using world = await SimulatedWorld.open(1);
  const node = world.addNode();
  const election = createElection(node);
  const reasons: unknown[] = [];
  const stop = new AbortController();
  const running = election.run(stop.signal, async (signal) => {
    while (await sleep(node.clock, 1000, signal));
    reasons.push(signal.reason);
  });
  await world.run(5_000, () => {});
  node.network.isCut = true;
  await world.run(7_000, () => {});
  assert.deepEqual([reasons.length, election.isLeader], [0, true]);
  await world.run(3_500, () => {});
  assert.ok(hasCode(reasons[0], 'LeadershipLost'));
  assert.equal(election.isLeader, false);
  node.network.isCut = false;
  await world.run(12_000, () => {});
  assert.equal(election.isLeader, true);
  stop.abort();
  await world.run(1_000, () => {});
  await running;
  assert.equal(reasons.length, 2);
});

test('a process that wakes after a pause does not lead, before any of its timers has fired', async () => {
  await using world = await SimulatedWorld.open(1);
  const node = world.addNode();
  const election = createElection(node);
  const stop = new AbortController();
  const running = election.run(stop.signal, async (signal) => {
    while (await sleep(node.clock, 1000, signal));
  });
  await world.run(5_000, () => {});
  node.clock.pause();
  await world.run(11_000, () => {});
  assert.equal(election.isLeader, false);
  world.heal();
  stop.abort();
  await world.run(5_000, () => {});
  await running;
});

test('leadership counts from when a renewal was sent, however late its answer came', async () => {
  await using world = await SimulatedWorld.open(1);
  const node = world.addNode();
  let delayMs = 0;
  const client = createClient(
    {
      async request(request) {
        const lateMs = delayMs;
        const response = await node.network.request(request);
        await sleep(world.clock, lateMs);
        return response;
      },
      close: () => node.network.close(),
      [Symbol.asyncDispose]: () => node.network.close(),
    },
    { fieldManager: node.name, clock: node.clock },
  );
  const election = createElection({ ...node, client });
  const stop = new AbortController();
  const running = election.run(stop.signal, async (signal) => {
    while (await sleep(node.clock, 1000, signal));
  });
  await world.run(5_000, () => {});
  // Of the last renewal that is carried out, only the answer is late; then nothing arrives.
  delayMs = 4_000;
  const { resourceVersion } = (await leaseOf(world)).metadata;
  const isRenewed = async (): Promise<boolean> =>
    (await leaseOf(world)).metadata.resourceVersion !== resourceVersion;
  while (!(await isRenewed())) await world.clock.advance(100);
  const renewedMs = node.clock.monotonicMs();
  await world.run(3_900, () => {});
  node.network.isCut = true;
  await world.run(5_000, () => {});
  assert.equal(election.isLeader, true);
  while (election.isLeader) await world.clock.advance(100);
  const heldMs = node.clock.monotonicMs() - renewedMs;
  assert.ok(heldMs < 10_200, `it led ${heldMs} ms after the server had its renewal`);
  stop.abort();
  await world.run(10_000, () => {});
  await running;
});

test('work that fails ends the candidature, and leaves the Lease to others', async () => {
  await using world = await SimulatedWorld.open(1);
  const election = createElection(world.addNode());
  const running = election.run(new AbortController().signal, () => {
    return Promise.reject(new Error('broken work'));
  });
  const outcome = assert.rejects(running, /broken work/);
  await world.run(1_000, () => {});
  await outcome;
  assert.equal((await leaseOf(world)).spec?.holderIdentity, '');
});

test('times in an order that is not safe are refused', async () => {
  await using world = await SimulatedWorld.open(1);
  const node = world.addNode();
  assert.throws(() => createElection(node, { renewDeadlineMs: 15_000 }), /leaseMs is longer/);
  assert.throws(() => createElection(node, { retryMs: 9_000 }), /renewDeadlineMs is longer/);
  assert.throws(() => createElection(node, { leaseMs: 15_500 }), /whole seconds/);
});
