/**
 * `kill -9` of Fnlet, of the function and of the NATS server that keeps the events, one hundred
 * times at random moments: what was answered 202 arrives, in order.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { test } from 'node:test';
import { randomInt, systemRandom } from '@fnlet/base';
import { findNatsPrograms, NatsServer } from '../packages/store/test/nats-server.ts';
import { checkNotes, notesOf, Sender, setUp, untilSettled } from './crash-events.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const rounds = Number(process.env.ROUNDS ?? 100);
/** On a machine that is busy there are fewer. */
const enoughMs = process.env.ROUNDS === undefined ? 90_000 : Number.POSITIVE_INFINITY;
const senders = 4;
const victims = ['fnlet', 'function', 'broker'] as const;

const [program] = findNatsPrograms();
const skip = program === undefined && 'no nats-server is on this machine';

/** One house with its broker, which are killed and started again. */
class House {
  readonly all: readonly Sender[] = Array.from({ length: senders }, (_, n) => new Sender(n));
  readonly killed: Record<(typeof victims)[number], number> = { fnlet: 0, function: 0, broker: 0 };
  readonly #dataDirectory: string;
  readonly #nats: NatsServer;
  #fnlet: FnletProcess | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  /** Whether the function was killed in this life: the next start of it would wait for a while. */
  #hasKilledFunction = false;

  constructor(dataDirectory: string, nats: NatsServer) {
    this.#dataDirectory = dataDirectory;
    this.#nats = nats;
  }

  get file(): string {
    return join(this.#dataDirectory, 'notes');
  }

  async start(): Promise<FnletProcess> {
    const args = ['--events-log', `${this.#nats.url}?name=house`];
    const fnlet = await startFnlet({ dataDirectory: this.#dataDirectory, args });
    this.#fnlet = fnlet;
    this.#hasKilledFunction = false;
    return fnlet;
  }

  /** Begins to send. */
  send(fnlet: FnletProcess): void {
    const { gateway } = fnlet.endpoints;
    this.#sending = Promise.all(this.all.map((sender) => sender.run(gateway)));
  }

  /** Kills one of them, after some more were delivered. */
  async round(): Promise<void> {
    const before = (await notesOf(this.file)).length;
    const wanted = before + 5 + randomInt(systemRandom, 60);
    const isThere = async (): Promise<boolean> => (await notesOf(this.file)).length >= wanted;
    await until(isThere, { what: 'deliveries', timeoutMs: 60_000 });
    const chosen = victims[randomInt(systemRandom, victims.length)] ?? 'fnlet';
    const victim = chosen === 'function' && this.#hasKilledFunction ? 'fnlet' : chosen;
    this.killed[victim]++;
    if (victim === 'broker') {
      await this.#nats.stop('SIGKILL');
      await this.#nats.start();
    } else if (victim === 'function') await this.#killFunction();
    else {
      await this.stop('SIGKILL');
      this.send(await this.start());
    }
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.#fnlet?.stop(signal);
    await this.#sending;
  }

  async #killFunction(): Promise<void> {
    this.#hasKilledFunction = true;
    const pid = (await notesOf(this.file)).at(-1)?.pid;
    assert.ok(pid !== undefined);
    try {
      kill(pid, 'SIGKILL');
    } catch {
      // It was of the life before.
    }
  }
}

test('kill -9 of Fnlet, the function and the broker: events arrive, in order', {
  skip,
}, async (t) => {
  assert.ok(program !== undefined);
  await using nats = await NatsServer.start(program);
  const dataDirectory = await makeDataDirectory();
  const house = new House(dataDirectory, nats);
  const startMs = performance.now();
  let round = 0;
  try {
    const fnlet = await house.start();
    await setUp(fnlet, house.file);
    house.send(fnlet);
    for (; round < rounds && performance.now() - startMs < enoughMs; round++) await house.round();
    await house.stop('SIGKILL');
    await untilSettled(await house.start(), house.all, house.file);
    await house.stop();
    const notes = await notesOf(house.file);
    for (const sender of house.all) checkNotes(notes, sender);
    const accepted = house.all.reduce((sum, each) => sum + each.accepted.length, 0);
    t.diagnostic(`${round} kills (${JSON.stringify(house.killed)}), ${accepted} events`);
    assert.ok(round >= 10, `${round} kills only`);
  } finally {
    await house.stop('SIGKILL');
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
