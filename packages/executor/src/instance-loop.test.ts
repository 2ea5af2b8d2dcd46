import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { revisionFixture } from '../test/revision-fixture.ts';
import { InstanceLoop } from './instance-loop.ts';
import { discardOutput } from './output-keeper.ts';
import type { RunnerSupply } from './runner.ts';

/** A supply that has no Runner to give, and remembers in which rank each was asked for. */
function scarceSupply(): RunnerSupply & { readonly ranks: number[] } {
  const ranks: number[] = [];
  return {
    ranks,
    take({ rank }) {
      ranks.push(rank);
      return () => {};
    },
    close: () => Promise.resolve(),
  };
}

it('the first Instance that a call waits for goes first, then one that is tried, then further ones', () => {
  const supply = scarceSupply();
  const loop = new InstanceLoop({
    node: { name: 'machine', capacity: { cpu: '2', memory: '1Gi' } },
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger,
    output: discardOutput,
    supply,
  });
  loop.ensure(revisionFixture({ id: 'tried-00001' }), 1, { trial: true });
  loop.ensure(revisionFixture({ id: 'woken-00001' }), 2);
  loop.ensure(revisionFixture({ id: 'woken-00001' }), 3);
  assert.deepEqual(supply.ranks, [1, 0, 2, 4]);
});
