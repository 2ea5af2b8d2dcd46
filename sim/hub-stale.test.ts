/** Answers of functions that are slow, about objects that change all the time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createCache, createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import { ConfigMap } from '@fnlet/sdk/operator';
import { startTestCluster } from '@fnlet/testing';
import { HubReplica } from './hub/hub-replica.ts';
import { hubWorld, namespace, serve } from './hub/hub-world.ts';
import { simulatedFunction } from './hub/simulated-function.ts';
import { Site, stateOf } from './hub/site.ts';
import { RunWatch } from './run-watch.ts';

interface Child extends KubeObject {
  readonly data?: { readonly of?: string };
}

const names = ['a', 'b', 'c'];

test('no answer is written that was about another state when it came', async () => {
  await using cluster = await startTestCluster({ objects: hubWorld(), seed: 3 });
  await serve(cluster);
  const { clock } = cluster;
  const random = seededRandom(3);
  const watch = new RunWatch();
  /** The states that there are now, by name. */
  const states = new Map<string, string>();
  /** Those that were so when the function answered about them. */
  const answered = new Set<string>();
  let stale = 0;
  const call = simulatedFunction({
    ...{ clock, random, watch, isFateful: () => false },
    onAnswer: ({ metadata }) => {
      const state = stateOf(metadata);
      if (states.get(metadata.name) === state) answered.add(state);
      else stale += 1;
    },
  });
  const replicas = [0, 1, 2].map(
    (index) => new HubReplica({ cluster, user: `hub-${index}`, seed: index, watch, call }),
  );
  const stop = new AbortController();
  const client = createClient(cluster.transport(), { fieldManager: 'test', clock });
  const children = createCache<Child>({
    ...{ client, type: resourceTypeOf(ConfigMap), namespace, clock, random },
    logger: silentLogger,
  });
  const written: string[] = [];
  children.subscribe(({ kind, object: { data } }) => {
    if (kind !== 'deleted' && data?.of !== undefined) written.push(data.of);
  });
  const following = children.run(stop.signal);
  await cluster.advance(20_000);

  const sites = cluster.client.of<Site>(resourceTypeOf(Site));
  for (let step = 0; step < 300; step++) {
    const name = names[Math.floor(random.next() * names.length)] ?? 'a';
    const key = { namespace, name };
    const found = await sites.tryGet(key);
    const spec = { text: `${step}` };
    if (found !== undefined && random.next() < 0.2) {
      states.delete(name);
      await sites.delete(key);
    } else {
      const site = Site.of({ metadata: { name, namespace }, spec });
      const { metadata } = found
        ? await sites.patch(key, { type: 'merge', patch: { spec } })
        : await cluster.client.of<KubeObject>(resourceTypeOf(Site)).create({ ...site });
      states.set(name, stateOf(metadata));
    }
    await cluster.advance(Math.floor(random.next() * 1200));
  }
  await cluster.advance(30_000);

  assert.deepEqual(
    written.filter((state) => !answered.has(state)),
    [],
  );
  for (const state of states.values()) assert.ok(written.includes(state), state);
  assert.ok(stale > 20, `${stale} answers came too late`);
  stop.abort();
  for (const replica of replicas) replica.kill();
  await following;
});
