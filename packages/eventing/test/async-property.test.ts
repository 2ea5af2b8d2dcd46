/**
 * Random lives of asynchronous calls: functions that answer anything, callers that cancel and try
 * anew, and ends of the process at any moment, on a virtual clock from one seed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode, randomInt, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { openMemoryStore, type StoreSnapshot } from '@fnlet/store';
import { AsyncCalls, type CallView } from '../src/async.ts';
import { answer, type Outcome, unreached } from './async-world.ts';

/** What the world outside has seen of one call. */
interface Seen {
  readonly attemptsMax: number;
  /** Since it was accepted, or tried anew. */
  tries: number;
  inFlight: boolean;
  ends: number;
  callbacks: number;
}

const runs = 60;
const callsPerRun = 25;
const final = ['succeeded', 'failed', 'expired', 'cancelled'];

for (let seed = 1; seed <= runs; seed++) {
  test(`a life from seed ${seed}`, () => live(seed));
}

async function live(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const clock = new VirtualClock();
  const seen = new Map<string, Seen>();
  let life = 0;
  let kept: StoreSnapshot | undefined;

  const broken: unknown[] = [];

  const begin = () => {
    const own = ++life;
    const store = openMemoryStore({ from: kept, historyMin: 1 });
    const stop = new AbortController();
    const calls = new AsyncCalls({
      store,
      clock,
      random: seededRandom(seed * 1000 + own),
      logger: silentLogger,
      limits: { graceMs: 0, inFlightPerFunctionMax: 3, inFlightMax: 5 },
      invoke: async (invocation) => {
        // A process that was killed calls nobody.
        if (own !== life) return new Promise<Outcome>(() => {});
        const id = new Map(invocation.headers).get('X-Call-Id') ?? '';
        const one = seen.get(id);
        assert(one !== undefined, 'only accepted calls are delivered');
        assert.equal(one.inFlight, false, `call ${id} is tried twice at once`);
        one.inFlight = true;
        one.tries++;
        await clockPause(clock, randomInt(random, 3_000));
        if (own !== life) return new Promise<Outcome>(() => {});
        one.inFlight = false;
        const outcome = anyOutcome(random.next());
        if (!('reached' in outcome) || outcome.reached) {
          assert.ok(one.tries <= one.attemptsMax, `call ${id} is tried ${one.tries} times`);
        } else one.tries--;
        return outcome;
      },
      callbacks: {
        refuse: () => undefined,
        send: async ({ headers }) => {
          const one = seen.get(new Map(headers).get('X-Call-Id') ?? '');
          assert(one !== undefined, 'only accepted calls call back');
          one.callbacks++;
          return random.next() < 0.5 ? 500 : 200;
        },
      },
    });
    const running = calls.run(stop.signal);
    running.catch((error: unknown) => broken.push(error));
    return { store, calls, stop };
  };

  /** The process is killed: what the disk has is all that is left. */
  const crash = (): void => {
    kept = now.store.snapshot();
    now.stop.abort();
    now = begin();
    for (const one of seen.values()) one.inFlight = false;
  };

  const accept = async (): Promise<void> => {
    const attemptsMax = 1 + randomInt(random, 4);
    const own = life;
    const headers: [string, string][] = [
      ['X-Call-Attempts', String(attemptsMax)],
      ['X-Call-Deadline', `${1 + randomInt(random, 60)}m`],
      ['X-Callback-Url', 'https://example.com/'],
    ];
    // Known before it is delivered: its id is what chance says next, so it is looked up late.
    const where = { namespace: 'n', function: `f${randomInt(random, 4)}`, method: 'POST' };
    const body = Buffer.from('x');
    const pending = now.calls.accept({ ...where, target: '/', headers, body, remoteAddress: '' });
    const one: Seen = { attemptsMax, tries: 0, inFlight: false, ends: 0, callbacks: 0 };
    const listed = now.calls.list({ namespace: 'n', limit: 1 })[0];
    if (listed !== undefined) seen.set(listed.id, one);
    const view = await pending;
    assert.equal(view.id, listed?.id);
    if (own === life) accepted.add(view.id);
  };

  const accepted = new Set<string>();
  let now = begin();
  for (let step = 0; step < callsPerRun * 4; step++) {
    const what = random.next();
    if (what < 0.3 && accepted.size < callsPerRun) await accept();
    else if (what < 0.36) crash();
    else if (what < 0.42) await attempt(() => now.calls.cancel(pick(accepted, random.next())));
    else if (what < 0.48) {
      await attempt(async () => {
        const id = pick(accepted, random.next());
        const one = seen.get(id);
        await now.calls.redrive(id);
        if (one !== undefined) one.tries = 0;
      });
    } else await clock.advance(randomInt(random, 20_000));
  }
  await settle(() => now.calls, accepted, { clock, broken });
  for (const id of accepted) {
    const view = now.calls.find(id);
    const one = seen.get(id);
    assert.ok(final.includes(view.state), `call ${id} is ${view.state} at the end`);
    assert.notEqual(view.callback?.state, 'pending');
    assert.ok((one?.callbacks ?? 0) >= 1, `nobody was told of call ${id}`);
    if (view.state === 'succeeded') assert.ok((one?.tries ?? 0) >= 1);
  }
  // Tries that were planned and then taken back stay in the list until their time.
  await clock.advance(3_600_000);
  assert.equal(clock.timers, 0, 'a timer waits for nothing');
}

/** Hours later everything has come to its end. */
async function settle(
  calls: () => AsyncCalls,
  accepted: ReadonlySet<string>,
  { clock, broken }: { readonly clock: VirtualClock; readonly broken: readonly unknown[] },
): Promise<void> {
  const isOver = (view: CallView): boolean =>
    final.includes(view.state) && view.callback?.state !== 'pending';
  for (let n = 0; n < 2_000; n++) {
    if ([...accepted].every((id) => isOver(calls().find(id)))) return;
    await clock.advance(5_000);
    if (broken.length > 0) throw broken[0];
  }
  const left = [...accepted].map((id) => calls().find(id)).filter((view) => !isOver(view));
  assert.fail(`the calls never came to an end: ${JSON.stringify(left)}`);
}

function anyOutcome(chance: number): Outcome {
  if (chance < 0.4) return answer(200);
  if (chance < 0.6) return answer(500);
  if (chance < 0.7) return answer(503, '', [['Retry-After', '7']]);
  if (chance < 0.8) return answer(404);
  return unreached(chance < 0.9 ? 3_000 : undefined);
}

function clockPause(clock: VirtualClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

function pick(ids: ReadonlySet<string>, chance: number): string {
  return [...ids][Math.floor(chance * ids.size)] ?? 'none';
}

/** Does what may be refused. */
async function attempt(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const known = ['NotFound', 'Running', 'Finished', 'QueueFull', 'FunctionQueueFull'] as const;
    if (!known.some((code) => hasCode(error, code))) throw error;
  }
}
