/** `kill -9` of Fnlet and of a function at random moments: what was answered 202 arrives, in order. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { test } from 'node:test';
import { randomInt, systemRandom } from '@fnlet/base';
import { createApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

// `ROUNDS=100` for a night.
const rounds = Number(process.env.ROUNDS ?? 3);
const senders = 4;

/** Writes down what it begins and what it is done with; refuses poison, and fails now and then. */
function recorder(file: string): string {
  return `
import { appendFileSync } from 'node:fs';
const note = (word, id) => appendFileSync(${JSON.stringify(file)}, [word, id, process.pid].join(' ') + '\\n');
export default async (request) => {
  const id = request.headers.get('ce-id');
  note('begin', id);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  if (request.headers.get('ce-subject') === 'poison') return new Response('no', { status: 400 });
  if (Math.random() < 0.1) return new Response('not now', { status: 500 });
  note('taken', id);
  return new Response(null, { status: 204 });
};`;
}

interface Note {
  readonly word: string;
  readonly id: string;
  readonly pid: number;
}

async function notesOf(file: string): Promise<readonly Note[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [word = '', id, pid] = line.split(' ');
    return id === undefined || pid === undefined ? [] : [{ word, id, pid: Number(pid) }];
  });
}

/** Sends events one after another, each until it is accepted, as often as that takes. */
class Sender {
  readonly accepted: string[] = [];
  readonly poison: string[] = [];
  readonly #number: number;

  constructor(number: number) {
    this.#number = number;
  }

  /** Until there is nobody to send to. */
  async run(gateway: string): Promise<void> {
    while (await this.#sendNext(gateway)) {}
  }

  async #sendNext(gateway: string): Promise<boolean> {
    const count = this.accepted.length + this.poison.length;
    const id = `${this.#number}-${count}`;
    const isPoison = count % 25 === 24;
    const headers = {
      ...{ 'ce-specversion': '1.0', 'ce-type': 't', 'ce-source': '/crash', 'ce-id': id },
      'ce-subject': isPoison ? 'poison' : `key-${this.#number}`,
    };
    try {
      const answer = await fetch(`${gateway}/in`, { method: 'POST', headers, body: 'data' });
      await answer.arrayBuffer();
      if (answer.status === 202) (isPoison ? this.poison : this.accepted).push(id);
      return true;
    } catch {
      return false;
    }
  }
}

async function setUp(fnlet: FnletProcess, file: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  await api.applyFunction('record', { source: { inline: recorder(file) }, scale: { max: 1 } });
  await api.waitReady('record');
  await triggers.apply('in', {
    source: { http: { paths: [{ exact: '/in' }], events: {} } },
    target: { function: 'record' },
    delivery: { orderingKey: 'subject', retry: 20, backoffDelay: '10ms', backoffMax: '100ms' },
  });
  assert.equal(await triggers.ready('in'), 'True Ready');
}

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

/** Every event was taken; none comes again after one that follows it was. */
function check(notes: readonly Note[], { accepted, poison }: Sender): void {
  const placesOf = (word: string, id: string): readonly number[] =>
    notes.flatMap((note, place) => (note.word === word && note.id === id ? [place] : []));
  let lastPlace = Number.POSITIVE_INFINITY;
  for (const id of accepted.toReversed()) {
    const [taken] = placesOf('taken', id);
    assert.ok(taken !== undefined, `event ${id} is lost`);
    const begun = placesOf('begin', id).at(-1) ?? 0;
    assert.ok(begun < lastPlace, `event ${id} came after one that follows it`);
    lastPlace = Math.min(lastPlace, taken);
  }
  for (const id of poison) assert.ok(placesOf('begin', id).length > 0, `poison ${id} never came`);
}

test('kill -9 of Fnlet and of the function: events arrive, in order, poison is a dead letter', async () => {
  const dataDirectory = await makeDataDirectory();
  const file = join(dataDirectory, 'notes');
  const all = Array.from({ length: senders }, (_, number) => new Sender(number));
  const poisoned = (): number => all.reduce((sum, { poison }) => sum + poison.length, 0);
  let fnlet: FnletProcess | undefined;
  try {
    for (let round = 0; round < rounds; round++) {
      fnlet = await startFnlet({ dataDirectory });
      if (round === 0) await setUp(fnlet, file);
      await sendAndKill(fnlet, file, all);
    }
    fnlet = await startFnlet({ dataDirectory });
    const triggers = await openTriggers(fnlet);
    const isSettled = async (): Promise<boolean> => {
      const { lag, deadLetters } = await triggers.status('in');
      return lag === 0 && deadLetters === poisoned();
    };
    await until(isSettled, { what: 'everything to be settled', timeoutMs: 60_000 });
    await triggers.close();
    await fnlet.stop();
    const notes = await notesOf(file);
    for (const sender of all) check(notes, sender);
  } finally {
    await fnlet?.stop('SIGKILL');
    // What it had started may be ending still.
    await rm(dataDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
