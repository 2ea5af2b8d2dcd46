import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { randomInt, seededRandom, systemClock } from '@fnlet/base';
import { openLmdbLog } from '@fnlet/store/log';
import { DeadLetters } from '../src/dead-letters/dead-letters.ts';
import { checkDeliveries, type SentEvent } from './check-deliveries.ts';

const program = join(import.meta.dirname, 'crash-deliverer.ts');
// `ROUNDS=100` for a night.
const rounds = Number(process.env.ROUNDS ?? 3);
const policy = { orderingKey: 'subject', retry: 5 };

interface Seen {
  readonly starts: number[];
  readonly successes: number[];
  readonly failures: number[];
}

/** What became of events, as the world outside saw it; times are numbers of lines. */
class Witness {
  readonly acknowledged: {
    readonly id: string;
    readonly key: string;
    readonly sequence: number;
  }[] = [];
  readonly #seen = new Map<string, Seen>();
  #lines = 0;

  hear(line: string): void {
    const [word, id = '', key = '', sequence] = line.split(' ');
    this.#lines++;
    if (word === 'sent') this.acknowledged.push({ id, key, sequence: Number(sequence) });
    else if (word === 'begin') this.#of(id).starts.push(this.#lines);
    else if (word === 'taken') this.#of(id).successes.push(this.#lines);
    else this.#of(id).failures.push(this.#lines);
  }

  /** In the order of the stream. */
  events(): readonly SentEvent[] {
    return this.acknowledged
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ id, key }) => ({ id, key, isPoison: key === 'poison', ...this.#of(id) }));
  }

  #of(id: string): Seen {
    const seen = this.#seen.get(id) ?? { starts: [], successes: [], failures: [] };
    this.#seen.set(id, seen);
    return seen;
  }
}

/** Lets the program run, and kills it after so many lines; or else to its end. */
async function run(words: readonly string[], witness: Witness, linesMax: number): Promise<void> {
  const child = spawn(execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    witness.hear(line);
    if (++lines >= linesMax) child.kill('SIGKILL');
  }
  await closed;
  const isWhole = linesMax === Number.POSITIVE_INFINITY;
  const expected = isWhole ? [0, null] : [null, 'SIGKILL'];
  assert.deepEqual([child.exitCode, child.signalCode], expected);
}

test('what was acknowledged arrives, in order of each key, through kill -9', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-delivery-crash-'));
  t.after(() => rm(directory, { recursive: true }));
  const random = seededRandom(rounds);
  const witness = new Witness();
  for (let round = 0; round < rounds; round++) {
    await run([directory, String(round)], witness, 100 + randomInt(random, 900));
  }
  await run([directory, 'last', 'drain'], witness, Number.POSITIVE_INFINITY);
  await using log = await openLmdbLog({ directory });
  const letters = await DeadLetters.open(log, '1', systemClock);
  const { letters: dead } = await letters.list({}, { limit: 1_000_000 });
  assert.ok(dead.length > 0, 'poison is among them');
  assert.ok(witness.acknowledged.length > rounds * 20);
  checkDeliveries(witness.events(), { letters: dead, crashes: rounds, policy });
  const { records } = await (await log.stream('trigger/1')).size();
  assert.ok(records < 50, 'what is settled is gone, but for what is removed with the next');
});
