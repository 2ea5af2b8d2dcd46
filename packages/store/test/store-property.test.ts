import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hasCode } from '@fnlet/base';
import fc from 'fast-check';
import {
  type Change,
  type Mutation,
  openLmdbStore,
  openMemoryStore,
  type Store,
} from '../src/index.ts';
import { ModelStore } from './model-store.ts';
import { plainChange, plainPage } from './plain.ts';

const key = fc.constantFrom('/a/1', '/a/2', '/a/3', '/ab/1', '/b/1');
const prefix = fc.constantFrom('/', '/', '/a/', '/a/', '/a', '/b/', '/none/');

const mutation = fc.record({
  key,
  remove: fc.constantFrom(false, false, true),
  /** How the expectation is chosen: none, the right one, or a wrong one. */
  expect: fc.constantFrom('any', 'any', 'right', 'wrong'),
});

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      mutations: fc.uniqueArray(mutation, { maxLength: 3, selector: (m) => m.key }),
      /** Whether the next action goes on without waiting for the flush. */
      concurrent: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('watch' as const), prefix, back: fc.nat(12) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      prefix,
      back: fc.option(fc.nat(12), { nil: undefined }),
      after: fc.option(key, { nil: undefined, freq: 1 }),
      limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

interface Watching {
  readonly prefix: string;
  readonly after: number;
  readonly seen: Change[];
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** One run: a store and the model beside it, told the same. */
class Run {
  readonly #reopen: (store: Store) => Promise<Store>;
  readonly #model = new ModelStore();
  readonly #writes: Promise<void>[] = [];
  readonly #watches: Watching[] = [];
  #store: Store;

  constructor(store: Store, reopen: (store: Store) => Promise<Store>) {
    this.#store = store;
    this.#reopen = reopen;
  }

  async play(actions: readonly Action[]): Promise<void> {
    for (const step of actions) await this.#act(step);
    await this.#settle();
    await this.#endWatches();
    await this.#store.close();
  }

  async #act(step: Action): Promise<void> {
    switch (step.kind) {
      case 'write':
        this.#write(step.mutations);
        if (!step.concurrent) await this.#settle();
        return;
      case 'watch':
        this.#watch(step.prefix, Math.max(1, this.#store.revision - step.back));
        return;
      case 'list': {
        // The model knows writes as soon as they are asked for, the store once they are flushed.
        await this.#settle();
        const atRevision =
          step.back === undefined ? undefined : Math.max(1, this.#store.revision - step.back);
        const options = { after: step.after, limit: step.limit, atRevision };
        const expected = this.#model.list(step.prefix, options);
        assert.deepEqual(plainPage(this.#store.list(step.prefix, options)), expected);
        assert.equal(this.#store.count(step.prefix), this.#model.list(step.prefix).objects.length);
        return;
      }
      case 'reopen':
        await this.#settle();
        await this.#endWatches();
        this.#store = await this.#reopen(this.#store);
        assert.equal(this.#store.revision, this.#model.revision);
    }
  }

  #write(wanted: readonly { key: string; remove: boolean; expect: string }[]): void {
    const mutations = wanted.map(({ key, remove, expect }): Mutation => {
      const found = this.#model.revisionOf(key);
      const value = remove ? undefined : { key, n: this.#model.revision };
      if (expect === 'any') return { key, value, expected: undefined };
      return { key, value, expected: expect === 'right' ? found : found + 1 };
    });
    const expected = this.#model.write(mutations);
    this.#writes.push(
      this.#store.write(mutations).then(
        (revisions) => assert.deepEqual(revisions, expected),
        (error: unknown) => assert.ok(expected === 'conflict' && hasCode(error, 'Conflict')),
      ),
    );
  }

  #watch(prefix: string, after: number): void {
    const stop = new AbortController();
    const seen: Change[] = [];
    const read = async (): Promise<void> => {
      for await (const change of this.#store.watch(prefix, after, stop.signal)) seen.push(change);
    };
    this.#watches.push({ prefix, after, seen, stop, done: read() });
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#writes.splice(0));
  }

  async #endWatches(): Promise<void> {
    // A watcher reads on for as long as something is there, in turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    for (const { prefix, after, seen, stop, done } of this.#watches.splice(0)) {
      stop.abort();
      await done;
      assert.deepEqual(seen.map(plainChange), this.#model.changes(prefix, after));
    }
  }
}

describe('a store among random writes, watches, lists and restarts', () => {
  it('openMemoryStore() does what the model does', async () => {
    const property = fc.asyncProperty(fc.array(action, { maxLength: 40, size: 'max' }), (actions) =>
      new Run(openMemoryStore(), async (store) => store).play(actions),
    );
    await fc.assert(property, { numRuns: 100 });
  });

  it('openLmdbStore() does what the model does', async () => {
    const property = fc.asyncProperty(
      fc.array(action, { maxLength: 40, size: 'max' }),
      async (actions) => {
        const directory = await mkdtemp(join(tmpdir(), 'fnlet-store-'));
        const open = (): Promise<Store> => openLmdbStore({ directory });
        const reopen = async (store: Store): Promise<Store> => {
          await store.close();
          return open();
        };
        try {
          await new Run(await open(), reopen).play(actions);
        } finally {
          await rm(directory, { recursive: true });
        }
      },
    );
    await fc.assert(property, { numRuns: 15 });
  });
});
