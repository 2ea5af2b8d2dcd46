/**
 * How many durable writes a second the LMDB store takes, one after the other and 64 at a time,
 * beside what the disk itself can do: an fdatasync after every append.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbStore, openMemoryStore, type Store } from '../src/index.ts';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'bench', namespace: 'default', labels: { app: 'bench' } },
  data: { text: 'x'.repeat(1_200) },
};

async function perSecond(count: number, run: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await run();
  return Math.round((count / (performance.now() - startMs)) * 1000);
}

let written = 0;

function writesPerSecond(store: Store, count: number, writers: number): Promise<number> {
  const write = async (): Promise<void> => {
    for (let n = 0; n < count / writers; n++) {
      await store.write([{ key: `/configmaps/${written++}`, value: object, expected: 0 }]);
    }
  };
  return perSecond(count, async () => {
    await Promise.all(Array.from({ length: writers }, write));
  });
}

async function syncsPerSecond(directory: string, count: number): Promise<number> {
  const file = await open(join(directory, 'syncs'), 'w');
  const bytes = Buffer.from(JSON.stringify(object));
  const result = await perSecond(count, async () => {
    for (let n = 0; n < count; n++) {
      await file.write(bytes);
      await file.datasync();
    }
  });
  await file.close();
  return result;
}

const directory = await mkdtemp(join(tmpdir(), 'fnlet-bench-'));
try {
  await using lmdb = await openLmdbStore({ directory: join(directory, 'store') });
  await using memory = openMemoryStore();
  const syncPerSecond = await syncsPerSecond(directory, 1_000);
  const sequentialPerSecond = await writesPerSecond(lmdb, 1_000, 1);
  const concurrentPerSecond = await writesPerSecond(lmdb, 19_200, 64);
  const memoryPerSecond = await writesPerSecond(memory, 19_200, 64);
  const startMs = performance.now();
  const { objects } = lmdb.list('/configmaps/');
  const listMs = Math.round(performance.now() - startMs);
  const rows = [
    ['append + fdatasync, one by one (the disk)', syncPerSecond],
    ['lmdb store, one by one', sequentialPerSecond],
    ['lmdb store, 64 at a time', concurrentPerSecond],
    ['memory store, 64 at a time', memoryPerSecond],
  ];
  process.stdout.write(
    `${rows.map(([name, n]) => `${String(n).padStart(8)}/s  ${name}`).join('\n')}\n`,
  );
  process.stdout.write(`${String(listMs).padStart(8)} ms  list of ${objects.length} objects\n`);
  const figures = {
    sequentialPerSecond,
    concurrentPerSecond,
    memoryPerSecond,
    syncPerSecond,
    listMs,
  };
  process.stdout.write(`${JSON.stringify({ bench: 'store-writes', figures })}\n`);
} finally {
  await rm(directory, { recursive: true });
}
