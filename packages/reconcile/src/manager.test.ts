import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { createScriptedTransport } from '../test/scripted-transport.ts';
import type { LeaderElection } from './leadership.ts';
import { createManager, type Manager, type ManagerOptions } from './manager.ts';
import type { Service } from './service-group.ts';

function create(options: Partial<ManagerOptions> = {}): Manager {
  const clock = options.clock ?? new VirtualClock();
  const client = createClient(
    createScriptedTransport(() => ({})),
    { fieldManager: 'test', clock },
  );
  return createManager({
    client,
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    ...options,
  });
}

// A service that notes when it starts and stops.
function noting(name: string, notes: string[]): Service {
  return {
    name,
    async run(signal) {
      notes.push(`${name} starts`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.resolve();
      notes.push(`${name} stops`);
    },
  };
}

test('controllers start last and stop first', async () => {
  const manager = create();
  const notes: string[] = [];
  manager.addController(noting('controller', notes));
  manager.addService(noting('service', notes));
  const abort = new AbortController();
  const running = manager.run(abort.signal);
  abort.abort();
  await running;
  assert.deepEqual(notes, [
    'service starts',
    'controller starts',
    'controller stops',
    'service stops',
  ]);
});

test('one that fails ends all and is reported', async () => {
  const manager = create();
  const notes: string[] = [];
  manager.addService(noting('service', notes));
  manager.addController({ name: 'broken', run: () => Promise.reject(new Error('broken')) });
  await assert.rejects(manager.run(new AbortController().signal), /broken/);
  assert.deepEqual(notes, ['service starts', 'service stops']);
});

test('a kind has one cache, each selection its own', () => {
  const manager = create();
  const type = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
  for (let i = 0; i < 2; i++) {
    manager.cache(type);
    manager.cache(type, { namespace: 'a' });
    manager.cache(type, { labelSelector: 'a=b' });
  }
  assert.equal(manager.caches.length, 3);
});

/** Lets a test decide who leads. */
class ScriptedElection implements LeaderElection {
  isLeader = false;
  readonly notes: string[];
  #lead: ((signal: AbortSignal) => Promise<void>) | undefined;

  constructor(notes: string[]) {
    this.notes = notes;
  }

  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.notes.push('election begins');
    this.#lead = lead;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    this.notes.push('election ends');
  }

  /** Wins; the function loses again, and resolves when nobody acts any more. */
  win(): () => Promise<void> {
    const abort = new AbortController();
    const led = this.#lead?.(abort.signal);
    this.isLeader = true;
    return async () => {
      this.isLeader = false;
      abort.abort();
      await led;
    };
  }
}

interface Standby {
  readonly clock: VirtualClock;
  readonly manager: Manager;
  readonly election: ScriptedElection;
  /** What was noted since it was asked last. */
  notes(): string[];
  stop(): Promise<void>;
}

async function startStandby(options: Partial<ManagerOptions> = {}): Promise<Standby> {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const election = new ScriptedElection(notes);
  const manager = create({ clock, election, ...options });
  manager.addService(noting('service', notes));
  manager.addController(noting('leading', notes));
  manager.addController(noting('everywhere', notes), { everywhere: true });
  const abort = new AbortController();
  const running = manager.run(abort.signal);
  await clock.advance(0);
  return {
    clock,
    manager,
    election,
    notes: () => notes.splice(0),
    async stop() {
      abort.abort();
      await running;
    },
  };
}

test('controllers run while this process leads, as often as it does', async () => {
  const { manager, election, notes, stop } = await startStandby();
  assert.deepEqual(notes(), ['service starts', 'everywhere starts', 'election begins']);
  assert.equal(manager.isLeader, false);
  for (let i = 0; i < 2; i++) {
    const lose = election.win();
    assert.equal(manager.isLeader, true);
    assert.deepEqual(notes(), ['leading starts']);
    await lose();
    assert.deepEqual(notes(), ['leading stops']);
  }
  await stop();
  assert.deepEqual(notes(), ['everywhere stops', 'election ends', 'service stops']);
});

test('leadership is kept until the last controller has ended', async () => {
  const { election, notes, stop } = await startStandby();
  const lose = election.win();
  notes();
  await stop();
  const ended = notes();
  assert.ok(ended.indexOf('leading stops') < ended.indexOf('election ends'), `${ended}`);
  await lose();
  assert.deepEqual(notes(), []);
});

test('a standby reads before it takes part, but not for ever', async () => {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const manager = create({ clock, election: new ScriptedElection(notes) });
  manager.cache({ group: '', version: 'v1', kind: 'X', plural: 'xs', namespaced: true });
  const abort = new AbortController();
  const running = manager.run(abort.signal);
  await clock.advance(29_999);
  assert.deepEqual(notes, []);
  await clock.advance(1);
  assert.deepEqual(notes, ['election begins']);
  abort.abort();
  await clock.advance(100);
  await running;
});

test('a controller comes and goes while the manager runs', async () => {
  const { manager, election, notes, stop } = await startStandby();
  const lose = election.win();
  notes();
  const late: string[] = [];
  const remove = manager.addController(noting('late', late));
  assert.deepEqual(late.splice(0), ['late starts']);
  await remove();
  assert.deepEqual(late.splice(0), ['late stops']);
  await lose();
  election.win();
  assert.deepEqual(late, []);
  await stop();
});

test('what runs is drained before it is told to end, for so long and no longer', async () => {
  const clock = new VirtualClock();
  const manager = create({ clock, drainMs: 1000 });
  const notes: string[] = [];
  manager.addController({
    ...noting('slow', notes),
    async drain(signal) {
      notes.push('drains');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      notes.push('is told that it took too long');
    },
  });
  const abort = new AbortController();
  const running = manager.run(abort.signal);
  abort.abort();
  await clock.advance(999);
  assert.deepEqual(notes, ['slow starts', 'drains']);
  await clock.advance(1);
  await running;
  assert.deepEqual(notes.slice(2), ['is told that it took too long', 'slow stops']);
  assert.equal(clock.timers, 0);
});
