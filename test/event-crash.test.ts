/** `kill -9` of Fnlet and of a function at random moments: what was answered 202 arrives, in order. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { test } from 'node:test';
import { randomInt, systemRandom } from '@fnlet/base';
import { checkNotes, notesOf, Sender, setUp, untilSettled } from './crash-events.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

// `ROUNDS=100` for a night.
const rounds = Number(process.env.ROUNDS ?? 3);
const senders = 4;

/** Sends for a while, kills the function, sends on, kills Fnlet. */
async function sendAndKill(fnlet: FnletProcess, file: string, all: Sender[]): Promise<void> {
  const sending = Promise.all(all.map((sender) => sender.run(fnlet.endpoints.gateway)));
  const more = async (count: number): Promise<void> => {
    const wanted = (await notesOf(file)).length + count;
    const isThere = async (): Promise<boolean> => (await notesOf(file)).length >= wanted;
    await until(isThere, { what: 'deliveries', timeoutMs: 60_000 });
  };
  await more(20 + randomInt(systemRandom, 100));
  const pid = (await notesOf(file)).at(-1)?.pid;
  assert.ok(pid !== undefined && existsSync(`/proc/${pid}`));
  kill(pid, 'SIGKILL');
  await more(20 + randomInt(systemRandom, 100));
  await fnlet.stop('SIGKILL');
  await sending;
}

test('kill -9 of Fnlet and of the function: events arrive, in order, poison is a dead letter', async () => {
  const dataDirectory = await makeDataDirectory();
  const file = join(dataDirectory, 'notes');
  const all = Array.from({ length: senders }, (_, number) => new Sender(number));
  let fnlet: FnletProcess | undefined;
  try {
    for (let round = 0; round < rounds; round++) {
      fnlet = await startFnlet({ dataDirectory });
      if (round === 0) await setUp(fnlet, file);
      await sendAndKill(fnlet, file, all);
    }
    fnlet = await startFnlet({ dataDirectory });
    await untilSettled(fnlet, all, file);
    await fnlet.stop();
    const notes = await notesOf(file);
    for (const sender of all) checkNotes(notes, sender);
  } finally {
    await fnlet?.stop('SIGKILL');
    // What it had started may be ending still.
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
