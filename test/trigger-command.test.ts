/** `fnlet trigger` as people type it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { createApi } from './api-access.ts';
import { startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const keeps = `export default () => new Response('kept');`;

test('trigger create, ls and describe: what is printed by --dry-run is what is created', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  await api.applyFunction('record', { source: { inline: keeps } });
  await api.close();
  const trigger = (...args: string[]) => fnlet.cli(['trigger', ...args]);
  assert.match((await trigger('ls')).stderr, /No Triggers/);

  const flags = ['--schedule', '* * * * * *', '--data', '{"a":1}', '--function', 'record'];
  const more = ['--filter', 'type=dev.fnlet.cron', '--retry', '2', '--missed', 'skip'];
  const cron = ['create', 'cron', 'often', ...flags, ...more];
  const manifest = (await trigger(...cron, '--dry-run', '-o', 'yaml')).stdout;
  assert.match(manifest, /^kind: Trigger$/m);
  const applied = await fnlet.kubectl(['apply', '--dry-run=server', '-f', '-'], {
    input: manifest,
  });
  assert.equal(applied.code, 0, applied.stderr);
  assert.match((await trigger('ls')).stderr, /No Triggers/);
  assert.equal((await trigger(...cron)).stdout, 'trigger/often created\n');
  assert.match((await trigger(...cron)).stderr, /already exists/);

  const changes = ['--api-version', 'v1', '--kind', 'ConfigMap', '--change', 'add'];
  const out = ['--url', 'http://127.0.0.1:1/', '--ordering-key', 'subject', '--paused'];
  const object = await trigger('create', 'kubernetes', 'maps', ...changes, ...out, '-o', 'json');
  assert.deepEqual(Object(JSON.parse(object.stdout)).spec.source.kubernetes.changes, ['add']);

  const none = await trigger('create', 'cron', 'none', '--schedule', '@daily');
  assert.equal(none.code, exitCodes.usage);
  assert.match(none.stderr, /found 0 targets, expected one/);
  const refused = await trigger('create', 'nats', 'none', '--function', 'record');
  assert.match(refused.stderr, /spec\.source\.nats\.servers/);

  const table = await until(
    async () => {
      const { stdout } = await trigger('ls');
      return /often +cron +record +True +Ready +\d+ +0 +\d+s/.test(stdout) ? stdout : undefined;
    },
    { what: 'the schedule to have brought an event' },
  );
  assert.match(table, /^NAME +TYPE .*\nmaps +kubernetes +http:\/\/127\.0\.0\.1:1\/ +False +Paused/);
  assert.match((await trigger('ls', '-o', 'name')).stdout, /^trigger\.fnlet\.dev\/maps\n/);
  const description = (await trigger('describe', 'often')).stdout;
  for (const text of [
    'Source:        cron {"schedule":"* * * * * *"',
    'Next event:',
    'Conditions:',
  ]) {
    assert.ok(description.includes(text), description);
  }
  assert.equal((await trigger('describe', 'other')).code, exitCodes.notFound);
});

test('events send: an event is accepted, and delivered', async () => {
  await using fnlet = await startFnlet();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  const prints = `export default async (request) => {
    console.log('got', request.headers.get('ce-subject'), await request.text());
  };`;
  await api.applyFunction('print', { source: { inline: prints } });
  await api.close();
  const http = ['trigger', 'create', 'http', 'in', '--path', '/in', '--events', 'cloudevents'];
  await fnlet.cli([...http, '--function', 'print']);
  const event = ['--type', 'order', '--subject', 'tea', '--id', 'a-1', '-d', '@-'];
  const send = async (): Promise<string> => {
    const sent = await fnlet.cli(['events', 'send', 'in', ...event], { input: '{"n":3}' });
    return sent.stdout;
  };
  await until(async () => (await send()) === 'event/a-1 accepted\n', { what: 'it to be taken' });
  await until(async () => (await fnlet.cli(['logs', 'print'])).stdout.includes('got tea {"n":3}'), {
    what: 'the event to come',
  });
  const cron = ['trigger', 'create', 'cron', 'daily', '--schedule', '@daily'];
  await fnlet.cli([...cron, '--function', 'print']);
  const refused = await fnlet.cli(['events', 'send', 'daily', '--type', 'a']);
  assert.equal(refused.code, exitCodes.usage);
  assert.match(refused.stderr, /found no endpoint for events, expected CloudEvents/);
});
