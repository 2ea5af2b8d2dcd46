/**
 * The measured process: the operator of WebSites. `_website-operator.ts <server> <token> <CA>
 * <workers>`; over its IPC channel it tells what it has done once it has come to rest, and again
 * after each message: `resync` has it look at all objects, any other only wait for rest.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createClient, createHttpTransport, type Transport } from '@fnlet/client';
import { createEventRecorder, createManager, createOperatorController } from '@fnlet/reconcile';
import { preferSmallHeap } from '@fnlet/server/small-heap';
import { siteOperator } from './_website.ts';

// As `run` of fnlet/operator does.
preferSmallHeap();
const [server = '', token = '', caData = '', workers = '1'] = process.argv.slice(2);
const quietMs = 300;
const shared = { clock: systemClock, random: systemRandom, logger: silentLogger };
const calls = { reads: 0, applies: 0, events: 0, others: 0 };

function countCall(method: string, path: string): void {
  if (path.includes('/events')) calls.events += 1;
  else if (method === 'GET') calls.reads += 1;
  else if (method === 'PATCH') calls.applies += 1;
  else calls.others += 1;
}

const transport = createHttpTransport({ server, token, caData });
const counting: Transport = {
  request(request) {
    countCall(request.method, request.path);
    return transport.request(request);
  },
  close: () => transport.close(),
  [Symbol.asyncDispose]: () => transport.close(),
};

const runs = { count: 0, lastMs: performance.now() };
const client = createClient(counting, { fieldManager: 'bench' });
const manager = createManager({ client, ...shared });
const events = createEventRecorder({ client, component: 'bench', ...shared });
const controller = createOperatorController({
  operator: { ...siteOperator, concurrency: Number(workers) },
  manager,
  events,
  metrics: {
    observe: () => ({
      added() {},
      retried() {},
      taken() {},
      finished() {},
      reconciled() {
        runs.count += 1;
        runs.lastMs = performance.now();
      },
    }),
    add() {},
    remove() {},
    countSuppressed() {},
  },
  ...shared,
});
manager.addService(events);
manager.addController(controller);

/** Waits until nothing is queued and nothing has run for a while, then tells what that took. */
async function tellRest(): Promise<void> {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const before = { runs: runs.count, ...calls };
  await Promise.all(manager.caches.map(({ synced }) => synced));
  const syncedMs = performance.now();
  for (;;) {
    const { depth, running } = controller.stats();
    const now = performance.now();
    if (depth + running === 0 && now - Math.max(syncedMs, runs.lastMs) > quietMs) break;
    await sleep(20);
  }
  const { user, system } = process.cpuUsage(startCpu);
  process.send?.({
    runs: runs.count - before.runs,
    reads: calls.reads - before.reads,
    applies: calls.applies - before.applies,
    events: calls.events - before.events,
    others: calls.others - before.others,
    seconds: Math.max(0, runs.lastMs - startMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
    rssMb: process.memoryUsage.rss() / 1e6,
    heapMb: process.memoryUsage().heapUsed / 1e6,
  });
}

void manager.run(new AbortController().signal);
process.on('message', (message) => {
  if (message === 'resync') controller.resync();
  void tellRest();
});
await tellRest();
