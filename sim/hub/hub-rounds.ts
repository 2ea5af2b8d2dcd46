/**
 * Three replicas of a hub that share the keys of one operator. In every round people change things,
 * the API and the function go wrong, and a replica dies; then nothing goes wrong any more, and what
 * was asked for must come to be.
 */
import { type Random, seededRandom } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import { ConfigMap } from '@fnlet/sdk/operator';
import { openMemoryStore, type Store } from '@fnlet/store';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { RunWatch } from '../run-watch.ts';
import { HubReplica } from './hub-replica.ts';
import { hubWorld, namespace, serve } from './hub-world.ts';
import { simulatedFunction } from './simulated-function.ts';
import { childName, Site } from './site.ts';

/** What came of the rounds. */
export interface RoundsVerdict {
  /** What should not be, in words; empty when all is well. */
  readonly problems: readonly string[];
  readonly runs: number;
}

const replicas = 3;
const siteNames = ['a', 'b', 'c', 'd', 'e', 'f'];

/** How long it may take until everything is as it is asked for: a Lease, a few tries, an age. */
const convergeMs = 240_000;

/**
 * Lets replicas live and die for so many rounds.
 *
 * @param isSharing whether replicas share the keys; if not, that must be found out
 */
export async function liveThroughRounds(
  seed: number,
  rounds: number,
  isSharing = true,
): Promise<RoundsVerdict> {
  const cluster = await startTestCluster({ objects: hubWorld(), seed });
  await using lives = new Rounds(cluster, seed, isSharing);
  await lives.begin();
  for (let round = 1; round <= rounds; round++) {
    const problem = await lives.round();
    if (problem !== undefined)
      return { problems: [`round ${round}: ${problem}`], runs: lives.runs };
  }
  return { problems: lives.clashes, runs: lives.runs };
}

class Rounds implements AsyncDisposable {
  readonly #cluster: TestCluster;
  readonly #random: Random;
  readonly #watch = new RunWatch();
  readonly #replicas: HubReplica[] = [];
  readonly #store: Store | undefined;
  readonly #records: ObjectKey | undefined;
  readonly #isSharing: boolean;
  #lives = 0;
  #isCalm = false;

  constructor(cluster: TestCluster, seed: number, isSharing: boolean) {
    this.#cluster = cluster;
    this.#isSharing = isSharing;
    this.#random = seededRandom(seed);
    // What operators know is in a store of all replicas, in the API, or dies with its process.
    this.#store = seed % 3 === 0 ? openMemoryStore() : undefined;
    this.#records = seed % 3 === 1 ? { namespace, name: 'hub-records' } : undefined;
  }

  get runs(): number {
    return this.#watch.runs;
  }

  get clashes(): readonly string[] {
    return this.#watch.clashes;
  }

  async begin(): Promise<void> {
    await serve(this.#cluster);
    for (let index = 0; index < replicas; index++) this.#start(index);
  }

  /** One round; what is wrong at its end, if anything is. */
  async round(): Promise<string | undefined> {
    this.#isCalm = false;
    for (let step = 0; step < 4; step++) {
      await this.#change();
      this.#strike();
      await this.#cluster.advance(Math.floor(this.#random.next() * 3000));
    }
    const victim = Math.floor(this.#random.next() * replicas);
    this.#replicas[victim]?.kill();
    await this.#change();
    await this.#cluster.advance(Math.floor(this.#random.next() * 12_000));
    this.#start(victim);
    this.#cluster.faults.clear();
    this.#isCalm = true;
    return this.#converge();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.#replicas) replica.kill();
    await this.#cluster.close();
  }

  #start(index: number): void {
    const { clock } = this.#cluster;
    const random = this.#random;
    const isFateful = (): boolean => !this.#isCalm;
    const call = simulatedFunction({ clock, random, watch: this.#watch, isFateful });
    this.#replicas[index] = new HubReplica({
      ...{ cluster: this.#cluster, user: `hub-${index}`, call },
      ...{ store: this.#store, records: this.#records },
      ...{ seed: 1000 * ++this.#lives + index, watch: this.#watch, isSharing: this.#isSharing },
    });
  }

  async #change(): Promise<void> {
    const name = this.#pick(siteNames);
    const key = { namespace, name };
    const objects = this.#cluster.client.of<KubeObject>(resourceTypeOf(Site));
    const found = await objects.tryGet(key);
    const text = `${Math.floor(this.#random.next() * 1000)}`;
    if (found === undefined) {
      await objects.create({ ...Site.of({ metadata: { name, namespace }, spec: { text } }) });
      return;
    }
    const fate = this.#random.next();
    if (fate < 0.2) await objects.delete(key);
    else if (fate < 0.35) {
      // Gone and there again under the same name: another object.
      await objects.delete(key);
      await objects.create({ ...Site.of({ metadata: { name, namespace }, spec: { text } }) });
    } else if (fate < 0.5) await this.#drift(name);
    else await objects.patch(key, { type: 'merge', patch: { spec: { text } } });
  }

  async #drift(name: string): Promise<void> {
    const children = this.#cluster.client.of<KubeObject>(resourceTypeOf(ConfigMap));
    const key = { namespace, name: childName(name) };
    if ((await children.tryGet(key)) === undefined) return;
    if (this.#random.next() < 0.5) await children.delete(key);
    else await children.patch(key, { type: 'merge', patch: { data: { text: 'drifted' } } });
  }

  #strike(): void {
    const faults = this.#cluster.faults.of(`hub-${Math.floor(this.#random.next() * replicas)}`);
    const times = 1 + Math.floor(this.#random.next() * 3);
    const strikes = [
      () => faults.gone({ times }),
      () => faults.throttle({ times, retryAfterSeconds: 2 }),
      () => faults.conflict({ times }),
      () => faults.unavailable({ times }),
      () => faults.loseAnswer({ times, verb: ['patch', 'create'] }),
      () => faults.dropWatches({}),
    ];
    this.#pick(strikes)();
  }

  async #converge(): Promise<string | undefined> {
    let wrong: string | undefined;
    for (let passedMs = 0; passedMs < convergeMs; passedMs += 2000) {
      await this.#cluster.advance(2000);
      const failed = this.#replicas.find(({ failure }) => failure !== undefined);
      if (failed !== undefined) return `a replica has ended: ${String(failed.failure)}`;
      if (this.clashes.length > 0) return this.clashes[0];
      wrong = await this.#findWrong();
      if (wrong === undefined) return undefined;
    }
    return wrong;
  }

  async #findWrong(): Promise<string | undefined> {
    const { client } = this.#cluster;
    const { items } = await client.of<Site>(resourceTypeOf(Site)).list();
    const children = await client
      .of<KubeObject & { readonly data?: { readonly text?: string } }>(resourceTypeOf(ConfigMap))
      .list({ namespace });
    const made = children.items.filter(({ metadata }) => metadata.name.startsWith('site-'));
    for (const { metadata, spec, status } of items) {
      const child = made.find((one) => one.metadata.name === childName(metadata.name));
      const { name, generation, uid } = metadata;
      if (child?.data?.text !== spec.text) return `${name}: child is ${child?.data?.text}`;
      if (child.metadata.ownerReferences?.[0]?.uid !== uid) return `${name}: child of another`;
      if (status?.observedGeneration !== generation || status?.said !== spec.text) {
        return `${name}: status is of generation ${status?.observedGeneration}`;
      }
    }
    return made.length === items.length
      ? undefined
      : `${made.length} children, ${items.length} sites`;
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random.next() * items.length)];
    if (item === undefined) throw new Error('Broken invariant: nothing to pick from');
    return item;
  }
}
