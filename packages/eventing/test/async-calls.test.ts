import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openLmdbStore, openMemoryStore, type StoreSnapshot } from '@fnlet/store';
import { testAsyncCallsContract } from './async-contract.ts';

testAsyncCallsContract('memory', () => {
  let kept: StoreSnapshot | undefined;
  return {
    async open() {
      const store = openMemoryStore({ from: kept, historyMin: 100 });
      const close = store.close.bind(store);
      return Object.assign(store, {
        close() {
          kept = store.snapshot();
          return close();
        },
      });
    },
  };
});

const root = mkdtempSync(join(tmpdir(), 'fnlet-async-'));
after(() => rmSync(root, { recursive: true, force: true }));

testAsyncCallsContract('LMDB', () => {
  const directory = mkdtempSync(join(root, 'store-'));
  return { open: () => openLmdbStore({ directory, historyMin: 100 }) };
});
