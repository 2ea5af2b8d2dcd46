import type { Clock, Logger, Random } from '@fnlet/base';
import { type Client, createCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { Loops } from './cluster-process.ts';

export interface FirstObjectOptions {
  readonly client: Client;
  readonly type: ResourceType;
  /** Who watches meanwhile. */
  readonly loops: Loops;
  /** There is one. Called once at most. */
  readonly found: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Waits for the first object of a kind: what most clusters do not use is not loaded there. Resolves
 * once it is known whether there are some already, after `found` where there are.
 */
export async function awaitFirstObject(options: FirstObjectOptions): Promise<void> {
  const { client, type, loops, found, clock, random, logger } = options;
  const stop = new AbortController();
  const known = Promise.withResolvers<void>();
  const cache = createCache<KubeObject>({
    ...{ client, type, metadataOnly: true, clock, random, logger },
  });
  cache.subscribe(() => {
    if (stop.signal.aborted) return;
    stop.abort();
    found();
    known.resolve();
  });
  void cache.synced.then(() => known.resolve());
  loops.run(`look for ${type.plural}`, (signal) => {
    const either = AbortSignal.any([signal, stop.signal]);
    return cache.run(either);
  });
  await known.promise;
}
