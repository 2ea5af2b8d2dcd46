import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '@fnlet/base';
import type { LeaderElection } from '../src/leadership.ts';
import { createElection } from './simulated-election.ts';
import { type SimulatedNode, SimulatedWorld } from './simulated-world.ts';

/** A candidate whose work takes up to three seconds to stop. */
class Contender {
  readonly node: SimulatedNode;
  readonly election: LeaderElection;
  readonly #stop = new AbortController();
  isWorking = false;
  // Work that was under way while its process stood still cannot be judged: see the election's gap.
  #wasPaused = false;
  readonly ended: Promise<void>;

  constructor(node: SimulatedNode) {
    this.node = node;
    this.election = createElection(node);
    this.ended = this.election.run(this.#stop.signal, (signal) => this.#work(signal));
  }

  stop(): void {
    this.#stop.abort();
  }

  get holds(): boolean {
    this.#wasPaused ||= this.node.clock.isPaused;
    return this.election.isLeader || (this.isWorking && !this.#wasPaused);
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.isWorking = true;
    this.#wasPaused = false;
    const { clock, random } = this.node;
    while (!signal.aborted) await sleep(clock, 1000, signal);
    await sleep(clock, random.next() * 3000);
    this.isWorking = false;
  }
}

async function simulate(seed: number): Promise<void> {
  await using world = await SimulatedWorld.open(seed);
  const contenders = Array.from({ length: 4 }, () => new Contender(world.addNode()));
  const look = (): void => {
    const holders = contenders.filter(({ holds }) => holds).map(({ node }) => node.name);
    assert.ok(holders.length <= 1, `seed ${seed}: ${holders.join(' and ')} hold the Lease`);
  };
  await world.run(120_000, () => {
    world.disturb();
    look();
  });
  world.heal();
  await world.run(40_000, look);
  const leaders = contenders.filter(({ election }) => election.isLeader);
  assert.equal(leaders.length, 1, `seed ${seed}: nobody leads although everything works again`);
  const [leader] = leaders;
  leader?.stop();
  await world.run(10_000, look);
  const next = contenders.filter(({ election }) => election.isLeader);
  assert.equal(next.length, 1, `seed ${seed}: a Lease that was given back is taken at once`);
  assert.notEqual(next[0], leader);
  for (const contender of contenders) contender.stop();
  await world.run(5_000, look);
  await Promise.all(contenders.map(({ ended }) => ended));
}

const seeds = Number(process.env.SEEDS ?? 4);

test('never two lead, and always one again, whatever happens to machines and network', async () => {
  for (let seed = 1; seed <= seeds; seed++) await simulate(seed);
});
