import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedgerBatch } from './ledger.ts';
import { LedgerStore } from './ledger-store.ts';
import { limits } from './limits.ts';
import { MemoryLedger } from './memory-ledger.ts';
import type { Mutation } from './store.ts';
import { StoreError, type StoreErrorCode } from './store-error.ts';

/** A ledger whose disk can fail, and that counts its flushes. */
class FailingLedger extends MemoryLedger {
  failure: StoreErrorCode | undefined;
  flushes = 0;

  override async commit(batch: LedgerBatch): Promise<void> {
    this.flushes += 1;
    if (this.failure !== undefined) throw new StoreError(this.failure, 'the disk has failed');
    await super.commit(batch);
  }
}

function bed(): { ledger: FailingLedger; store: LedgerStore } {
  const ledger = new FailingLedger();
  return { ledger, store: new LedgerStore(ledger, {}) };
}

const put = (key: string, expected?: number): Mutation => ({ key, value: {}, expected });

describe('LedgerStore when the disk fails', () => {
  it('goes on once there is room again, and nothing of the failed write is seen', async () => {
    const { ledger, store } = bed();
    const seen: number[] = [];
    const watch = async (): Promise<void> => {
      for await (const { revision } of store.watch('/', 1, new AbortController().signal)) {
        seen.push(revision);
      }
    };
    const watched = assert.rejects(watch(), { code: 'Closed' });
    ledger.failure = 'Full';
    await assert.rejects(store.write([put('/a')]), { code: 'Full' });
    assert.equal(store.get('/a'), undefined);
    assert.equal(store.revision, 1);
    ledger.failure = undefined;
    assert.deepEqual(await store.write([put('/a', 0)]), [2]);
    await store.close();
    await watched;
    assert.deepEqual(seen, [2]);
  });

  it('believes nothing after a failed flush', async () => {
    const { ledger, store } = bed();
    ledger.failure = 'Broken';
    const first = assert.rejects(store.write([put('/a')]), { code: 'Broken' });
    await first;
    ledger.failure = undefined;
    await assert.rejects(store.write([put('/a')]), { code: 'Broken' });
    assert.equal(ledger.flushes, 1);
    assert.equal(store.revision, 1);
  });
});

describe('LedgerStore under load', () => {
  it('commits concurrent writes in few flushes', async () => {
    const { ledger, store } = bed();
    await Promise.all(Array.from({ length: 100 }, (_, n) => store.write([put(`/${n}`)])));
    assert.equal(ledger.flushes, 1);
    await Promise.all(
      Array.from({ length: 2 * limits.flushMutationsMax }, (_, n) => store.write([put(`/${n}`)])),
    );
    assert.equal(ledger.flushes, 3);
  });

  it('refuses writes when too many wait, and loses none of those', async () => {
    const { store } = bed();
    const writes = Array.from({ length: limits.pendingWritesMax + 1 }, (_, n) =>
      store.write([put(`/${n}`)]),
    );
    await assert.rejects(Promise.all(writes), { code: 'Full', retry: 'later' });
    await Promise.allSettled(writes);
    assert.equal(store.count('/'), limits.pendingWritesMax);
  });

  it('commits a write that is larger than a flush in one piece', async () => {
    const { ledger, store } = bed();
    const mutations = Array.from({ length: 3_000 }, (_, n) => put(`/${n}`));
    const revisions = await store.write(mutations);
    assert.equal(revisions.at(-1), 3_001);
    assert.equal(ledger.flushes, 1);
  });
});
