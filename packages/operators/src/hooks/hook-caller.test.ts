import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperatorHooks } from '@fnlet/api';
import type { CallOptions, FunctionCaller } from '../call/function-caller.ts';
import { createHookCaller } from './hook-caller.ts';

const call = {
  ...{ contract: 1, operator: 'default/cats', what: 'reconcile', run: 'r', reason: '', attempt: 1 },
  ...{ now: '2026-11-23T08:00:00Z', deadline: '2026-11-23T08:00:10Z', sent: { uid: 'u' } },
  object: { apiVersion: 'example.dev/v1', kind: 'CatSet', metadata: { name: 'a' } },
  children: [],
  related: [],
};

interface Asked {
  readonly where: string;
  readonly body: { readonly related?: object; readonly finalizing?: boolean };
}

/** A caller that translates, over hooks that answer so, by path. */
function open(
  hooks: Omit<OperatorHooks, 'style'>,
  answers: Readonly<Record<string, unknown>>,
): { readonly asked: Asked[]; readonly ask: (more?: object) => Promise<unknown> } {
  const asked: Asked[] = [];
  const caller: FunctionCaller = {
    call: (text, { target = '/', function: name = 'cats' }: CallOptions) => {
      asked.push({ where: `${name}${target}`, body: JSON.parse(text) });
      return Promise.resolve(answers[target]);
    },
  };
  const translated = createHookCaller({
    caller,
    hooks: { style: 'Composite', ...hooks },
    controller: { name: 'cats', owned: [] },
    kindOf: ({ resource }) => Promise.resolve(resource === 'secrets' ? 'Secret' : 'Other'),
  });
  const options = { who: 'uid', timeoutMs: 1000, signal: new AbortController().signal };
  return {
    asked,
    ask: (more = {}) => translated.call(JSON.stringify({ ...call, ...more }), options),
  };
}

test('sync is asked at its path, and of the Function that has it', async () => {
  const plain = open({}, { '/sync': { children: [], resyncAfterSeconds: 5 } });
  assert.deepEqual(await plain.ask(), { children: [], requeueAfter: '5000ms' });
  assert.deepEqual(
    plain.asked.map(({ where }) => where),
    ['cats/sync'],
  );
  const named = open({ sync: { function: 'dogs', path: '/v1/sync' } }, { '/v1/sync': {} });
  await named.ask();
  assert.deepEqual(
    named.asked.map(({ where }) => where),
    ['dogs/v1/sync'],
  );
});

test('customize is asked first, and sync with what it requires', async () => {
  const rule = { apiVersion: 'v1', resource: 'secrets', names: ['s'] };
  const world = open(
    { customize: {} },
    { '/customize': { relatedResources: [rule] }, '/sync': {} },
  );
  const required = [{ apiVersion: 'v1', kind: 'Secret', name: 's' }];
  assert.deepEqual(await world.ask(), { require: required });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
  assert.deepEqual(await world.ask({ required, related: [secret] }), { children: [] });
  assert.deepEqual(
    world.asked.map(({ where }) => where),
    ['cats/customize', 'cats/sync'],
  );
  assert.deepEqual(world.asked[1]?.body.related, { 'Secret.v1': { s: secret } });
});

test('customize without rules requires nothing', async () => {
  const world = open({ customize: {} }, { '/customize': {}, '/sync': {} });
  assert.deepEqual(await world.ask(), { children: [] });
  assert.equal(world.asked.length, 2);
});

test('finalize is asked where there is one; else the object may go', async () => {
  const without = open({}, {});
  assert.deepEqual(await without.ask({ what: 'cleanup' }), { finalized: true });
  assert.deepEqual(without.asked, []);
  const world = open({ finalize: {} }, { '/finalize': { finalized: true } });
  assert.deepEqual(await world.ask({ what: 'cleanup' }), { children: [], finalized: true });
  assert.equal(world.asked[0]?.body.finalizing, true);
});

test('a watch needs an expression', async () => {
  const map = { what: 'map', watch: 0, objects: [] };
  await assert.rejects(open({}, {}).ask(map), { code: 'InvalidSpec', remedy: /expression/ });
});
