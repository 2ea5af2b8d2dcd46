/** What happens to events of a real Fnlet, followed with the command. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'fnlet.js');

const refusesTwo = `export default async (request) =>
  new Response('no', { status: (await request.text()).includes('2') ? 422 : 200 });`;

test('events are followed from their acceptance to what they come to, and those before are told', async () => {
  await using fnlet = await startFnlet();
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  await api.applyFunction('record', { source: { inline: refusesTwo } });
  await triggers.apply('orders', {
    source: { http: { paths: [{ exact: '/orders' }], events: {} } },
    filters: [{ not: { exact: { type: 'noise' } } }],
    target: { function: 'record' },
  });
  await until(async () => (await triggers.ready('orders')) === 'True Ready', { what: 'Ready' });
  const env = { ...process.env, KUBECONFIG: fnlet.endpoints.kubeconfig };
  const args = [program, 'events', 'tail', 'orders', '--data', '-o', 'json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  stack.defer(() => void child.kill('SIGKILL'));
  const printed: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  const told = (): readonly unknown[] =>
    printed
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const send = async (id: number, type = 'order'): Promise<void> => {
    const event = ['--type', type, '--id', String(id), '--data', `{"n":${id}}`];
    const { code, stderr } = await fnlet.cli(['events', 'send', 'orders', ...event]);
    assert.equal(code, 0, stderr);
  };
  // Nobody says when the command is connected: an event that is told shows it.
  await until(
    async () => {
      await send(0, 'noise');
      return told().length > 0;
    },
    { what: 'the command to follow' },
  );
  await send(1);
  await send(2);
  const about = (id: string): readonly unknown[] =>
    told()
      .map(Object)
      .filter(({ event }) => event.id === id)
      .map(({ outcome, code, event }) => [outcome, code ?? null, event.data ?? null]);
  await until(() => about('2').length >= 3, { what: 'the end of the second event' });
  assert.deepEqual(about('0')[0], ['filtered', null, { n: 0 }]);
  assert.deepEqual(about('1'), [
    ['accepted', null, { n: 1 }],
    ['delivered', 200, { n: 1 }],
  ]);
  assert.deepEqual(about('2'), [
    ['accepted', null, { n: 2 }],
    ['failed', 422, { n: 2 }],
    ['dead', 422, { n: 2 }],
  ]);
  child.kill('SIGINT');
  await until(() => child.exitCode !== null || child.signalCode !== null, {
    what: 'the command to end',
  });
  assert.equal(child.exitCode, 0);

  // What became of an event is on the disk soon, not at once.
  const dead = /^\S+Z {2}dead {11}orders {2}order {2}2 {2}\/fnlet\/cli\n$/;
  const since = ['events', 'tail', '--no-follow', '--since', '10m'];
  await until(async () => dead.test((await fnlet.cli(since)).stdout), { what: 'the dead letter' });
  const none = await fnlet.cli(['events', 'tail', 'none', '--no-follow', '--since', '1m']);
  assert.deepEqual([none.code, none.stdout], [0, '']);
  assert.match(none.stderr, /There is no Trigger "none" in namespace "default" now/);
  const without = await fnlet.cli(['events', 'tail', '--no-follow']);
  assert.match(without.stderr, /found no --since/);
});
