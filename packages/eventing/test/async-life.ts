/**
 * A random life of asynchronous calls, on a virtual clock and from one seed: functions that answer
 * anything, callers that take back and try anew, and ends of the process at any moment.
 */
import assert from 'node:assert/strict';
import {
  hasCode,
  type Random,
  randomInt,
  seededRandom,
  silentLogger,
  VirtualClock,
} from '@fnlet/base';
import type { Invocation } from '@fnlet/invocation';
import { type MemoryStore, openMemoryStore, type StoreSnapshot } from '@fnlet/store';
import { AsyncCalls, type CallbackMessage, type CallView } from '../src/async.ts';
import { answer, type Outcome, unreached } from './async-world.ts';

/** What the world outside has seen of one call. */
interface Seen {
  readonly attemptsMax: number;
  /** Since it was accepted, or tried anew. */
  tries: number;
  inFlight: boolean;
  callbacks: number;
}

/** One process, from its start to its end. */
interface Process {
  readonly number: number;
  readonly store: MemoryStore;
  readonly calls: AsyncCalls;
  readonly stop: AbortController;
}

const dead = new Promise<never>(() => {});
const finalStates = ['succeeded', 'failed', 'expired', 'cancelled'];

export class AsyncLife {
  readonly #seed: number;
  readonly #random: Random;
  readonly #clock = new VirtualClock();
  readonly #seen = new Map<string, Seen>();
  readonly #accepted: string[] = [];
  readonly #broken: unknown[] = [];
  #process: Process;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#process = this.#start(1, undefined);
  }

  /** Lives for so many steps, then lets everything come to its end, and looks at what became. */
  async live(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) await this.#step();
    await this.#settle();
    for (const id of this.#accepted) this.#check(this.#process.calls.find(id));
    // Tries that were planned and then taken back stay in the list until their time.
    await this.#clock.advance(3_600_000);
    assert.equal(this.#clock.timers, 0, 'a timer waits for nothing');
  }

  async #step(): Promise<void> {
    const what = this.#random.next();
    if (what < 0.3 && this.#accepted.length < 25) await this.#accept();
    else if (what < 0.36) this.#crash();
    else if (what < 0.42) await this.#cancel();
    else if (what < 0.48) await this.#redrive();
    else await this.#clock.advance(randomInt(this.#random, 20_000));
  }

  #start(number: number, from: StoreSnapshot | undefined): Process {
    const store = openMemoryStore({ from, historyMin: 1 });
    const stop = new AbortController();
    const calls = new AsyncCalls({
      store,
      clock: this.#clock,
      random: seededRandom(this.#seed * 1000 + number),
      logger: silentLogger,
      limits: { graceMs: 0, inFlightPerFunctionMax: 3, inFlightMax: 5 },
      invoke: (invocation) => this.#invoke(number, invocation),
      callbacks: { refuse: () => undefined, send: async (message) => this.#callBack(message) },
    });
    calls.run(stop.signal).catch((error: unknown) => this.#broken.push(error));
    return { number, store, calls, stop };
  }

  /** The process is killed: what the disk has is all that is left. */
  #crash(): void {
    const { number, store, stop } = this.#process;
    const kept = store.snapshot();
    for (const one of this.#seen.values()) one.inFlight = false;
    stop.abort();
    this.#process = this.#start(number + 1, kept);
  }

  async #accept(): Promise<void> {
    const attemptsMax = 1 + randomInt(this.#random, 4);
    const { calls } = this.#process;
    const accepting = calls.accept({
      namespace: 'n',
      function: `f${randomInt(this.#random, 4)}`,
      method: 'POST',
      target: '/',
      headers: [
        ['X-Call-Attempts', String(attemptsMax)],
        ['X-Call-Deadline', `${1 + randomInt(this.#random, 60)}m`],
        ['X-Callback-Url', 'https://example.com/'],
      ],
      body: Buffer.from('x'),
      remoteAddress: '',
    });
    // It may be delivered before its acceptance is heard of.
    const [{ id } = { id: '' }] = calls.list({ namespace: 'n', limit: 1 });
    this.#seen.set(id, { attemptsMax, tries: 0, inFlight: false, callbacks: 0 });
    assert.equal((await accepting).id, id);
    this.#accepted.push(id);
  }

  async #invoke(process: number, { headers }: Invocation): Promise<Outcome> {
    // A process that was killed calls nobody.
    if (process !== this.#process.number) return dead;
    const id = new Map(headers).get('X-Call-Id') ?? '';
    const one = this.#seenOf(id);
    assert.equal(one.inFlight, false, `call ${id} is tried twice at once`);
    one.inFlight = true;
    one.tries++;
    await new Promise<void>((resolve) => {
      this.#clock.after(randomInt(this.#random, 3_000), resolve);
    });
    if (process !== this.#process.number) return dead;
    one.inFlight = false;
    const outcome = anyOutcome(this.#random.next());
    if (outcome.kind === 'failed' && !outcome.reached) one.tries--;
    else assert.ok(one.tries <= one.attemptsMax, `call ${id} is tried ${one.tries} times`);
    return outcome;
  }

  #callBack({ headers }: CallbackMessage): number {
    this.#seenOf(new Map(headers).get('X-Call-Id') ?? '').callbacks++;
    return this.#random.next() < 0.5 ? 500 : 200;
  }

  async #cancel(): Promise<void> {
    const id = this.#anyCall();
    await unlessRefused(() => this.#process.calls.cancel(id));
  }

  async #redrive(): Promise<void> {
    const id = this.#anyCall();
    await unlessRefused(async () => {
      const redriving = this.#process.calls.redrive(id);
      const { tries = 0 } = this.#seen.get(id) ?? {};
      await redriving;
      // What was tried since counts already.
      this.#seenOf(id).tries -= tries;
    });
  }

  /** Hours later everything has come to its end. */
  async #settle(): Promise<void> {
    const open = (): readonly CallView[] =>
      this.#accepted.map((id) => this.#process.calls.find(id)).filter((view) => !isOver(view));
    for (let n = 0; open().length > 0; n++) {
      await this.#clock.advance(5_000);
      if (this.#broken.length > 0) throw this.#broken[0];
      assert.ok(n < 2_000, `these calls never came to an end: ${JSON.stringify(open())}`);
    }
  }

  #check(view: CallView): void {
    const { callbacks, tries } = this.#seenOf(view.id);
    assert.ok(callbacks >= 1, `nobody was told of call ${view.id}`);
    if (view.state === 'succeeded') assert.ok(tries >= 1, `call ${view.id} was never tried`);
  }

  #seenOf(id: string): Seen {
    const one = this.#seen.get(id);
    assert(one !== undefined, `call ${id} was accepted`);
    return one;
  }

  #anyCall(): string {
    return this.#accepted[randomInt(this.#random, this.#accepted.length)] ?? 'none';
  }
}

function isOver({ state, callback }: CallView): boolean {
  return finalStates.includes(state) && callback?.state !== 'pending';
}

function anyOutcome(chance: number): Outcome {
  if (chance < 0.4) return answer(200);
  if (chance < 0.6) return answer(500);
  if (chance < 0.7) return answer(503, '', [['Retry-After', '7']]);
  if (chance < 0.8) return answer(404);
  return unreached(chance < 0.9 ? 3_000 : undefined);
}

async function unlessRefused(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const known = ['NotFound', 'Running', 'Finished'] as const;
    if (!known.some((code) => hasCode(error, code))) throw error;
  }
}
