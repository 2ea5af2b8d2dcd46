/**
 * How long it takes from a change to what follows from it (`operator-latency [counts]`): one of
 * 1 000, and of 10 000, settled WebSites is changed, and its ConfigMap is awaited. One client watches
 * both kinds and tells when it has seen what, so that only the operator and its write are measured.
 * Then how many new objects an operator with 1 and with 16 workers brings about in a second, each
 * with three children and a status, and what one without any objects takes.
 */
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { latencyRow, quantile, report, round } from './_figures.ts';
import { site, siteType } from './_website.ts';
import { createSites, type Rest, startWorld, type World } from './_website-world.ts';

const counts = (process.argv[2] ?? '1000,10000').split(',').map(Number);
const changes = 100;
const warmUps = 20;
const fresh = 500;
const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** Watches a kind; resolves whoever awaits a page of it. */
class Witness {
  /** When each page was seen first. */
  readonly #seen = new Map<string, number>();
  #awaited: { readonly page: string; resolve(): void } | undefined;
  readonly synced: Promise<void>;

  constructor(
    world: World,
    type: ResourceType,
    options: {
      readonly keep: readonly string[];
      readonly pageOf: (object: KubeObject) => string | undefined;
      readonly signal: AbortSignal;
    },
  ) {
    const { keep, pageOf, signal } = options;
    const shared = { clock: systemClock, random: systemRandom, logger: silentLogger };
    const cache = createCache<KubeObject>({ client: world.client, type, keep, ...shared });
    cache.subscribe(({ kind, object }) => {
      const page = kind === 'updated' ? pageOf(object) : undefined;
      if (page !== undefined) this.#see(page);
    });
    this.synced = cache.synced;
    void cache.run(signal);
  }

  #see(page: string): void {
    if (!this.#seen.has(page)) this.#seen.set(page, performance.now());
    if (this.#awaited?.page === page) this.#awaited.resolve();
  }

  async whenSeen(page: string): Promise<number> {
    const seen = this.#seen.get(page);
    if (seen !== undefined) return seen;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited = { page, resolve };
    await promise;
    return this.#seen.get(page) ?? Number.NaN;
  }
}

function textAt(object: KubeObject, field: string, name: string): string | undefined {
  const value: unknown = Reflect.get(object, field);
  const text: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Milliseconds from the event of a change to that of the child that follows from it. */
async function measureChanges(world: World, count: number): Promise<readonly number[]> {
  const abort = new AbortController();
  const { signal } = abort;
  const causes = new Witness(world, siteType, {
    keep: ['spec.html'],
    pageOf: (object) => textAt(object, 'spec', 'html'),
    signal,
  });
  const effects = new Witness(world, configMapType, {
    keep: ['data'],
    pageOf: (object) => textAt(object, 'data', 'index.html'),
    signal,
  });
  await Promise.all([causes.synced, effects.synced]);
  const sites = world.client.of<KubeObject>(siteType);
  const tookMs: number[] = [];
  for (let change = 1; change <= changes + warmUps; change++) {
    const n = (change * 7919) % count;
    const wanted = site(n, count + change);
    const page = textAt(wanted, 'spec', 'html') ?? '';
    const patch = { spec: { html: page } };
    const { name } = wanted.metadata;
    await sites.patch({ namespace: 'default', name }, { type: 'merge', patch });
    const [causeMs, effectMs] = [await causes.whenSeen(page), await effects.whenSeen(page)];
    tookMs.push(effectMs - causeMs);
  }
  abort.abort();
  return tookMs.slice(warmUps);
}

async function bringAbout(workers: number): Promise<Rest> {
  await using world = await startWorld();
  await createSites(world, fresh);
  const operator = world.operate(workers);
  const rest = await operator.rest();
  await operator.stop();
  return rest;
}

async function idleRssMb(): Promise<number> {
  await using world = await startWorld();
  return await world.rssMbOfAuthors();
}

const rows: Record<string, Record<string, number>> = {};
const figures: Record<string, number> = {};
{
  await using world = await startWorld();
  const operator = world.operate(16);
  let there = 0;
  await operator.rest();
  for (const count of counts) {
    await createSites(world, count - there, there);
    there = count;
    await operator.look();
    const tookMs = await measureChanges(world, count);
    rows[`event to child, ${count} objects`] = latencyRow(tookMs);
    figures[`p50MsOf${count}`] = round(quantile(tookMs, 0.5), 2);
    figures[`p99MsOf${count}`] = round(quantile(tookMs, 0.99), 2);
  }
  await operator.stop();
}
for (const workers of [1, 16]) {
  const { seconds, cpuSeconds, reads, applies, others } = await bringAbout(workers);
  const perSecond = round(fresh / seconds, 0);
  const callsEach = round((reads + applies + others) / fresh, 2);
  rows[`new objects, workers: ${workers}`] = {
    n: fresh,
    '1/s': perSecond,
    'calls each': callsEach,
    'CPU ms each': round((cpuSeconds * 1000) / fresh, 2),
  };
  figures[`perSecondBy${workers}`] = perSecond;
  figures.callsPerObject = callsEach;
}
figures.idleRssMB = round(await idleRssMb());
rows['no objects'] = { 'RSS MB': figures.idleRssMB };
report('operator-latency', rows, figures);
