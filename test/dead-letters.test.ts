/** Dead letters of a real Fnlet, as people look after them with the command. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

const refuses = `export default () => new Response('not like this', { status: 422 });`;

/** Writes down the id of each event, and how often it was replayed. */
function recorder(file: string): string {
  return `
import { appendFileSync } from 'node:fs';
export default (request) => {
  const { headers } = request;
  appendFileSync(${JSON.stringify(file)},
    headers.get('ce-id') + ' ' + headers.get('ce-fnletreplay') + '\\n');
  return new Response('kept');
};`;
}

test('a dead letter is listed, shown, replayed to the Function once that is mended, or dropped', async () => {
  await using fnlet = await startFnlet();
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  const dead = (...args: string[]) => fnlet.cli(['events', 'dead', ...args]);
  assert.match((await dead('ls')).stderr, /No dead letters/);
  await api.applyFunction('record', { source: { inline: refuses } });
  const source = { cron: { schedule: '* * * * * *', data: { n: 1 }, missed: 'skip' } };
  const spec = { source, target: { function: 'record' } };
  await triggers.apply('often', spec);
  await until(async () => Number((await triggers.status('often')).deadLetters) >= 2, {
    what: 'dead letters',
  });
  await triggers.apply('often', { ...spec, paused: true });
  assert.equal(await triggers.ready('often'), 'False Paused');

  const list: unknown = JSON.parse((await dead('ls', 'often', '-o', 'json')).stdout);
  const [first, ...others] = Object(list).items;
  assert.equal(first.answer, 'not like this');
  const table = (await dead('ls')).stdout;
  assert.match(table, /^NAME +TYPE +ID .*\noften\.1 +dev\.fnlet\.cron +\S+ +Refused +422 +1 /);
  const shown = (await dead('show', first.name)).stdout;
  assert.match(shown, /reason: Refused\ncode: 422\nanswer: not like this/);
  assert.match(shown, /data:\n {4}"n": 1\n/);

  assert.equal((await dead('drop')).code, exitCodes.usage);
  assert.equal((await dead('show', 'often.9999')).code, exitCodes.notFound);
  assert.match((await dead('replay', 'none')).stderr, /Cannot find Trigger "default\/none"/);
  assert.match((await dead('replay', '--all', '--to', 'ftp://x')).stderr, /Cannot replay to "ftp/);

  assert.match((await dead('replay', '--all', '--rate', '0.01')).stderr, /400: rate is "0.01"/);
  assert.equal((await dead('drop', others[0].name)).stdout, '1 dead letter dropped\n');
  const file = join(fnlet.dataDirectory, 'seen');
  await api.applyFunction('record', { source: { inline: recorder(file) } });
  await api.waitReady('record');
  const { id } = first.event;
  assert.equal((await dead('replay', 'often', '--id', id)).stdout, '1 dead letter replayed\n');
  await triggers.apply('often', { ...spec, paused: false });
  await until(async () => (await readFile(file, 'utf8').catch(() => '')).includes(`${id} 1\n`), {
    what: 'the event to come',
  });
  assert.equal((await dead('show', first.name)).code, exitCodes.notFound);
  const left = others.length - 1;
  assert.match((await dead('drop', '--all')).stdout, new RegExp(`^${left} dead letters? dropped`));
});

test('who may not do anything does not look at dead letters, nor replay nor drop them', async () => {
  await using fnlet = await startFnlet();
  const own = await readFile(fnlet.endpoints.kubeconfig, 'utf8');
  const file = join(fnlet.dataDirectory, 'nobody.kubeconfig');
  await writeFile(file, own.replace(/^( +)token: /m, '$1as: nobody\n$&'));
  const kubeconfig = ['--kubeconfig', file];
  for (const [words, verb] of [
    [['ls'], 'list resource "deadletters"'],
    [['show', 'a.1'], 'get resource "deadletters"'],
    [['replay', '--all'], 'create resource "replays"'],
    [['drop', '--all'], 'deletecollection resource "deadletters"'],
  ] as const) {
    const { code, stderr } = await fnlet.cli(['events', 'dead', ...words, ...kubeconfig]);
    assert.equal(code, exitCodes.failed);
    assert.ok(stderr.includes(`403: `) && stderr.includes(`cannot ${verb}`), stderr);
  }
  assert.match((await fnlet.cli(['events', 'dead', 'ls'])).stderr, /No dead letters/);
});
