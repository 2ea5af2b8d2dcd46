import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { createScriptedTransport } from '../test/scripted-transport.ts';
import { createManager, type Manager, type Service } from './manager.ts';

function create(): Manager {
  const clock = new VirtualClock();
  const client = createClient(
    createScriptedTransport(() => ({})),
    { fieldManager: 'test', clock },
  );
  return createManager({ client, clock, random: seededRandom(1), logger: silentLogger });
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
  assert.equal(manager.cache(type), manager.cache(type));
  assert.notEqual(manager.cache(type), manager.cache(type, { namespace: 'a' }));
  assert.notEqual(manager.cache(type), manager.cache(type, { labelSelector: 'a=b' }));
});
