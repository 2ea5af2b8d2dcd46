import { silentLogger } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { shardCount } from '../src/sharding/limits.ts';
import { shardOf } from '../src/sharding/shard-of.ts';
import { createShardedKeys, type ShardedKeys } from '../src/sharding/sharded-keys.ts';
import type { SimulatedNode } from './simulated-world.ts';

export const group = { namespace: 'default', name: 'sites' };

/** One key of every shard. */
export const keys: readonly ObjectKey[] = oneKeyPerShard();

/** A replica that always runs all keys that it owns, each run taking up to two seconds. */
export class SimulatedReplica {
  readonly node: SimulatedNode;
  readonly sharded: ShardedKeys;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  // Until when a run of this shard is under way, on the node's clock.
  readonly #busyUntilMs = new Map<number, number>();

  constructor(node: SimulatedNode) {
    this.node = node;
    const { client, name: replica, clock, random } = node;
    const logger = silentLogger;
    this.sharded = createShardedKeys({ client, group, replica, clock, random, logger });
    this.sharded.subscribe(() => this.#drained());
    this.ended = this.sharded.run(this.#stop.signal);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Begins a run of every key that is owned and does not run already; returns what runs. */
  act(): readonly number[] {
    const { clock, random } = this.node;
    const nowMs = clock.monotonicMs();
    // A run during which the process stood still cannot be judged: see the gap of sharding.
    if (clock.isPaused) this.#busyUntilMs.clear();
    return keys.flatMap((key, shard) => {
      const isOwned = this.sharded.ownsKey(key);
      const isBusy = (this.#busyUntilMs.get(shard) ?? 0) > nowMs;
      if (isOwned && !isBusy && !clock.isPaused) {
        this.#busyUntilMs.set(shard, nowMs + random.next() * 2000);
      }
      return isOwned || isBusy ? [shard] : [];
    });
  }

  #drained(): Promise<void> {
    const { clock } = this.node;
    const left = [...this.#busyUntilMs].filter(([shard]) => {
      const key = keys[shard];
      return key === undefined || !this.sharded.ownsKey(key);
    });
    const untilMs = Math.max(0, ...left.map(([, busyUntilMs]) => busyUntilMs));
    return new Promise((resolve) => {
      clock.after(untilMs - clock.monotonicMs(), resolve);
    });
  }
}

function oneKeyPerShard(): ObjectKey[] {
  const found = new Map<number, ObjectKey>();
  for (let i = 0; found.size < shardCount; i++) {
    const key = { namespace: 'default', name: `site-${i}` };
    if (!found.has(shardOf(key))) found.set(shardOf(key), key);
  }
  return Array.from({ length: shardCount }, (_, shard) => found.get(shard)).filter(
    (key) => key !== undefined,
  );
}
