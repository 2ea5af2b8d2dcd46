/**
 * The measured process: an operator that caches all Pods of an API and does nothing with them.
 * `_operator.ts <server> <what> <CA>`; prints what that took once it holds them all.
 */
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createCache, createClient, createHttpTransport } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { preferSmallHeap } from '@fnlet/server/small-heap';

const [server = '', what = '', caData = ''] = process.argv.slice(2);
const startMs = performance.now();
// As `run` of fnlet/operator does.
if (what !== 'grown') preferSmallHeap();
const transport = createHttpTransport({
  server: what === 'paged' ? `${server}/paged` : server,
  caData,
});
const client = createClient(transport, { fieldManager: 'bench' });
const keep = ['spec.nodeName', 'status.phase', 'status.conditions[*].type'];
const cache = createCache<KubeObject>({
  client,
  type: { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
  ...(what === 'whole' ? {} : { keep }),
  freeze: false,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
});
void cache.run(new AbortController().signal);
await cache.synced;

const { objects, bytes } = cache.stats();
const { user, system } = process.cpuUsage();
const used = {
  objects,
  peakRssMb: process.resourceUsage().maxRSS / 1000,
  heapMb: process.memoryUsage().heapUsed / 1e6,
  estimateMb: bytes / 1e6,
  seconds: (performance.now() - startMs) / 1000,
  cpuSeconds: (user + system) / 1e6,
};
process.stdout.write(`${JSON.stringify(used)}\n`, () => process.exit());
