import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { type Lease, leaseType } from '../election/lease.ts';
import type { KeyOwnership } from '../key-ownership.ts';
import { resolveSessionTimings, type SessionTimings } from './session-timings.ts';
import { shardOf } from './shard-of.ts';
import type { ShardsListener } from './shard-runs.ts';
import { ShardSession } from './shard-session.ts';

export interface ShardedKeysOptions {
  readonly client: Client;
  /** Who shares: the namespace and the name of the Lease that says which replica runs what. */
  readonly group: ObjectKey;
  /** This replica, such as the name of its Pod; part of the names of its Leases. */
  readonly replica: string;
  /** Default: 10 s, 7 s, 3 s and 1 s. */
  readonly timings?: Partial<SessionTimings>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Keys that are shared among the replicas of a group. */
export interface ShardedKeys extends KeyOwnership {
  /**
   * Takes part until `signal` aborts, what still ran has ended, and the others know. To be called
   * once.
   */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Shares keys among replicas: each runs about as many as every other, no key is ever run by two,
 * and the keys of a replica that dies are run by others within 14 s; of one that leaves, within
 * some seconds.
 *
 * Costs one write and one list each 3 s per replica, and one write more when shards move.
 *
 * What no Lease can do: a request that was sent by a replica just before it was paused, or cut off,
 * may arrive after another one has taken over. Writes must therefore carry what they were decided
 * on (a resourceVersion, a uid). And whoever deletes Leases of the group by hand gives its shards
 * away while they may still be run.
 */
export function createShardedKeys(options: ShardedKeysOptions): ShardedKeys {
  const timings = resolveSessionTimings(options.timings);
  const leases = options.client.of<Lease>(leaseType);
  const listeners = new Set<ShardsListener>();
  let session: ShardSession | undefined;
  return {
    ownsKey: (key) => session?.runs(shardOf(key)) === true,
    subscribe(listener) {
      // One function may be subscribed twice.
      const own = (): Promise<void> => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    async run(signal) {
      while (!signal.aborted) {
        session = new ShardSession({
          ...options,
          leases,
          timings,
          listeners,
          previous: session?.name,
        });
        await session.run(signal);
      }
    },
  };
}
