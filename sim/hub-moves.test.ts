import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import { ConfigMap } from '@fnlet/sdk/operator';
import { openMemoryStore } from '@fnlet/store';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { HubReplica, type HubReplicaOptions } from './hub/hub-replica.ts';
import { hubWorld, namespace, serve } from './hub/hub-world.ts';
import { simulatedFunction } from './hub/simulated-function.ts';
import { childName, Site } from './hub/site.ts';
import { RunWatch } from './run-watch.ts';

const names = Array.from({ length: 40 }, (_, index) => `site-of-${index}`);
/** How long it takes at most until other replicas have the keys of one that died. */
const moveMs = 20_000;

type Kept = Pick<HubReplicaOptions, 'store' | 'records'>;

class Moves implements AsyncDisposable {
  readonly watch: RunWatch = new RunWatch();
  readonly #cluster: TestCluster;
  readonly #kept: Kept;
  readonly #replicas = new Map<number, HubReplica>();

  private constructor(cluster: TestCluster, kept: Kept) {
    this.#cluster = cluster;
    this.#kept = kept;
  }

  static async open(kept: Kept): Promise<Moves> {
    const cluster = await startTestCluster({ objects: hubWorld(), seed: 1 });
    await serve(cluster);
    const sites = cluster.client.of<KubeObject>(resourceTypeOf(Site));
    for (const name of names) {
      await sites.create({ ...Site.of({ metadata: { name, namespace }, spec: { text: name } }) });
    }
    return new Moves(cluster, kept);
  }

  start(index: number): void {
    const { clock } = this.#cluster;
    const watch = this.watch;
    const random = seededRandom(index);
    const call = simulatedFunction({ clock, random, watch, isFateful: () => false });
    const replica = { cluster: this.#cluster, user: `hub-${index}`, seed: index };
    this.#replicas.set(index, new HubReplica({ ...replica, ...this.#kept, watch, call }));
  }

  replica(index: number): HubReplica {
    const found = this.#replicas.get(index);
    assert.ok(found !== undefined, `replica ${index} was started`);
    return found;
  }

  /** What replicas wrote of objects and their children, and asked the function, while `act`. */
  async costOf(act: () => void): Promise<readonly [runs: number, writes: number]> {
    const { runs } = this.watch;
    this.#cluster.writes.clear();
    act();
    await this.#cluster.advance(moveMs);
    const isOfSite = (name: string): boolean => name.includes('site-of-');
    const writes = this.#cluster.writes.entries.filter(({ path }) => isOfSite(path));
    return [this.watch.runs - runs, writes.length];
  }

  /** Asks for another text of every site; returns those whose child has it after a while. */
  async change(text: string): Promise<readonly string[]> {
    const { client } = this.#cluster;
    const sites = client.of<KubeObject>(resourceTypeOf(Site));
    for (const name of names) {
      await sites.patch({ namespace, name }, { type: 'merge', patch: { spec: { text } } });
    }
    await this.#cluster.advance(60_000);
    const maps = client.of<KubeObject & { readonly data?: { readonly text?: string } }>(
      resourceTypeOf(ConfigMap),
    );
    const { items } = await maps.list({ namespace });
    const told = items.filter(({ data }) => data?.text === text);
    return told.map(({ metadata }) => metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas.values()) replica.kill();
    await this.#cluster.close();
  }
}

const keeping: ReadonlyMap<string, () => Kept> = new Map<string, () => Kept>([
  ['in a store of all', () => ({ store: openMemoryStore() })],
  ['in the API', () => ({ records: { namespace, name: 'hub-records' } })],
]);

for (const [place, kept] of keeping) {
  test(`keys that move among replicas run nothing that was settled, ${place}`, async () => {
    await using moves = await Moves.open(kept());
    const [first] = await moves.costOf(() => {
      for (const index of [0, 1, 2]) moves.start(index);
    });
    assert.equal(first, names.length);
    assert.deepEqual(await moves.costOf(() => {}), [0, 0]);
    assert.deepEqual(await moves.costOf(() => moves.replica(1).kill()), [0, 0], 'it died');
    assert.deepEqual(await moves.costOf(() => moves.start(1)), [0, 0], 'another came');
    assert.deepEqual(await moves.costOf(() => moves.replica(2).leave()), [0, 0], 'one left');
    // Whoever has the keys now runs them.
    const changed = await moves.change('new');
    assert.deepEqual([...changed].sort(), names.map(childName).sort());
    assert.deepEqual(await moves.costOf(() => moves.replica(0).kill()), [0, 0], 'the last but one');
    assert.deepEqual(moves.watch.clashes, []);
  });
}

test('what changes while nobody has the key is run by whoever has it next', async () => {
  await using moves = await Moves.open({ records: { namespace, name: 'hub-records' } });
  await moves.costOf(() => {
    for (const index of [0, 1, 2]) moves.start(index);
  });
  await moves.costOf(() => {});
  moves.replica(1).kill();
  assert.equal((await moves.change('newer')).length, names.length);
});
