import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { randomInt, seededRandom } from '@fnlet/base';
import { type LogStream, openLmdbLog } from '../src/log.ts';
import { readAll } from './log-reading.ts';

const program = join(import.meta.dirname, 'log-crash-writer.ts');
const rounds = Number(process.env.ROUNDS ?? 6);
const random = seededRandom(rounds);

/** What was acknowledged in all rounds so far. */
class Promised {
  last = 0;
  cursor = 0;
  readonly #ids = new Map<number, string>();
  readonly #settled = new Set<number>();

  note(line: string): void {
    const [kind, first = '', second = '', id = ''] = line.split(' ');
    const sequence = Number(first);
    if (kind === 'open') assert.ok(sequence >= this.last, 'the last sequence never goes back');
    if (kind === 'appended') {
      assert.ok(!this.#ids.has(sequence), 'a sequence never comes back');
      assert.equal(Number(second), sequence + 1, 'the entries of an append are neighbours');
      this.#ids.set(sequence, id).set(sequence + 1, id);
      this.last = Math.max(this.last, sequence + 1);
    }
    if (kind === 'committed') {
      this.cursor = sequence;
      this.#settled.add(Number(second));
    }
  }

  async check(stream: LogStream): Promise<void> {
    const records = await readAll(stream);
    const found = new Map(records.map((record) => [record.sequence, idOf(record.payload)]));
    for (const [sequence, id] of this.#ids) assert.equal(found.get(sequence), id);
    const counts = Map.groupBy(found.values(), (id) => id);
    for (const [id, all] of counts) assert.equal(all.length, 2, `${id} is there as a whole, once`);
    const { records: count, bytes, last } = await stream.size();
    assert.equal(count, records.length);
    assert.equal(
      bytes,
      records.reduce((sum, { payload }) => sum + payload.length, 0),
    );
    assert.equal(last, records.at(-1)?.sequence);
    await this.#checkConsumer(stream);
  }

  async #checkConsumer(stream: LogStream): Promise<void> {
    const consumer = await stream.consumer('c');
    assert.ok(consumer.cursor >= this.cursor, 'a commit is kept');
    for await (const { sequence } of consumer.outstanding()) {
      assert.ok(sequence <= consumer.cursor && sequence % 2 === 1, 'a commit is there as a whole');
      assert.ok(!this.#settled.has(sequence), 'what is settled stays settled');
    }
  }
}

function idOf(payload: Uint8Array): string {
  return Buffer.from(payload).toString().split(' ', 1)[0] ?? '';
}

/** Lets the program work for a while, and kills it. */
async function runAndKill(directory: string, round: number, promised: Promised): Promise<void> {
  const child = spawn(execPath, [program, directory, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let lines = 0;
  const linesMax = 50 + randomInt(random, 400);
  for await (const line of createInterface({ input: child.stdout })) {
    promised.note(line);
    if (++lines >= linesMax) child.kill('SIGKILL');
  }
  await closed;
  assert.equal(child.signalCode, 'SIGKILL');
}

it('openLmdbLog() keeps everything acknowledged, and nothing by halves, through kill -9', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-log-crash-'));
  const promised = new Promised();
  for (let round = 0; round < rounds; round++) {
    await runAndKill(directory, round, promised);
    await using log = await openLmdbLog({ directory });
    const stream = await log.stream('a');
    await promised.check(stream);
    await stream.append([]);
  }
  assert.ok(promised.last > rounds * 50);
  await rm(directory, { recursive: true });
});
