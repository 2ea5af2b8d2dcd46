import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { openLmdbStore } from '../src/index.ts';

const program = join(import.meta.dirname, 'crash-writer.ts');
const rounds = 6;
const writesPerRound = 150;

interface Acknowledged {
  readonly name: string;
  readonly revision: number;
}

/** Lets the program write for a while, kills it, and gives back what it was promised. */
async function writeAndKill(directory: string, round: number): Promise<Acknowledged[]> {
  const child = spawn(execPath, [program, directory, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', revision] = line.split(' ');
    acknowledged.push({ name, revision: Number(revision) });
    if (acknowledged.length >= writesPerRound + 37 * round) child.kill('SIGKILL');
  }
  await closed;
  assert.equal(child.signalCode, 'SIGKILL');
  return acknowledged;
}

it('openLmdbStore() keeps every acknowledged write through kill -9', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-crash-'));
  const all: Acknowledged[] = [];
  let revision = 0;
  for (let round = 0; round < rounds; round++) {
    const [opened, ...writes] = await writeAndKill(directory, round);
    assert.ok(opened !== undefined && opened.revision >= revision, 'the revision never goes back');
    all.push(...writes);
    // The lock of the killed process is stale: this process takes it over.
    await using store = await openLmdbStore({ directory, historyMin: 50 });
    for (const { name, revision: written } of all) {
      assert.equal(store.get(`/left/${name}`)?.revision, written, name);
      assert.equal(store.get(`/left/${name}`)?.value.name, name);
      assert.equal(store.get(`/right/${name}`)?.revision, written + 1, name);
      revision = Math.max(revision, written + 1);
    }
    assert.ok(store.revision >= revision);
    assert.equal(store.count('/left/'), store.count('/right/'), 'a write is there as a whole');
    revision = store.revision;
  }
  assert.ok(all.length >= rounds * writesPerRound);
  await rm(directory, { recursive: true });
});
