/** What tests of `kill -9` send and write down, and what must be true of it in the end. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createApi } from './api-access.ts';
import type { FnletProcess } from './fnlet-process.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

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

export interface Note {
  readonly word: string;
  readonly id: string;
  readonly pid: number;
}

export async function notesOf(file: string): Promise<readonly Note[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [word = '', id, pid] = line.split(' ');
    return id === undefined || pid === undefined ? [] : [{ word, id, pid: Number(pid) }];
  });
}

/** Sends events one after another, each until it is accepted, as often as that takes. */
export class Sender {
  readonly accepted: string[] = [];
  readonly poison: string[] = [];
  readonly #number: number;

  constructor(number: number) {
    this.#number = number;
  }

  get #count(): number {
    return this.accepted.length + this.poison.length;
  }

  /** Until there is nobody to send to. */
  async run(gateway: string): Promise<void> {
    while (await this.#sendNext(gateway)) {}
  }

  /**
   * Sends what had no answer when there was nobody any more, so that it is known what became of it:
   * it may have been kept all the same.
   */
  async finish(gateway: string): Promise<void> {
    const before = this.#count;
    const isAccepted = async (): Promise<boolean> => {
      await this.#sendNext(gateway);
      return this.#count > before;
    };
    await until(isAccepted, { what: 'the last event to be accepted', timeoutMs: 60_000 });
  }

  async #sendNext(gateway: string): Promise<boolean> {
    const count = this.#count;
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

/** The Function that writes down, and the Trigger that leads to it. */
export async function setUp(fnlet: FnletProcess, file: string): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  await api.applyFunction('record', { source: { inline: recorder(file) }, scale: { max: 1 } });
  await api.waitReady('record');
  await triggers.apply('in', {
    source: { http: { paths: [{ exact: '/in' }], events: {} } },
    target: { function: 'record' },
    // A function that is killed may be long in coming back on a machine that is busy.
    delivery: { orderingKey: 'subject', retry: 100, backoffDelay: '10ms', backoffMax: '1s' },
  });
  // It says that its source is being started first.
  await until(async () => (await triggers.ready('in')) === 'True Ready', { what: 'Ready' });
}

/** Every event was taken; none comes again after one that follows it was. */
export function checkNotes(notes: readonly Note[], { accepted, poison }: Sender): void {
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

/** Until all is sent, nothing waits any more, and what is poison is a dead letter. */
export async function untilSettled(
  fnlet: FnletProcess,
  all: readonly Sender[],
  file: string,
): Promise<void> {
  await Promise.all(all.map((sender) => sender.finish(fnlet.endpoints.gateway)));
  const poisoned = all.reduce((sum, { poison }) => sum + poison.length, 0);
  const triggers = await openTriggers(fnlet);
  let seen: unknown;
  const isSettled = async (): Promise<boolean> => {
    const { lag, deadLetters, conditions } = await triggers.status('in');
    // The status may be that of the life before, when nothing waited.
    const waiting = await untaken(all, file);
    seen = { lag, deadLetters, waiting, conditions };
    return lag === 0 && deadLetters === poisoned && waiting.length === 0;
  };
  try {
    await until(isSettled, { what: 'everything to be settled', timeoutMs: 60_000 });
  } catch (cause) {
    const found = JSON.stringify(seen);
    throw new Error(`Not settled: found ${found}, expected ${poisoned} dead letters`, { cause });
  } finally {
    await triggers.close();
  }
}

/** Ids of events that were accepted, and that the function has not taken yet. */
async function untaken(all: readonly Sender[], file: string): Promise<readonly string[]> {
  const notes = await notesOf(file);
  const taken = new Set(notes.filter(({ word }) => word === 'taken').map(({ id }) => id));
  return all.flatMap(({ accepted }) => accepted.filter((id) => !taken.has(id)));
}
