/** `fnlet import kubeless`: what it writes is applied and called. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { createApi } from './api-access.ts';
import { type Finished, type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet();
});
after(() => fnlet[Symbol.asyncDispose]());

function importKubeless(input: string, ...args: string[]): Promise<Finished> {
  return fnlet.cli(['import', 'kubeless', ...args], { input });
}

const apiVersion = 'kubeless.io/v1beta1';
const manifest = {
  apiVersion,
  kind: 'Function',
  metadata: { name: 'hello', namespace: 'default' },
  spec: {
    handler: 'greeting.run',
    runtime: 'nodejs14',
    timeout: '20',
    function: `module.exports = { run: (event, context) =>
      context['function-name'] + ' says ' + process.env.WORD };`,
    deployment: {
      spec: { template: { spec: { containers: [{ env: [{ name: 'WORD', value: 'hi' }] }] } } },
    },
  },
};

const triggerOf = (kind: string, spec: object): object => ({
  apiVersion,
  kind,
  metadata: { name: 'hello', namespace: 'default' },
  spec: { 'function-name': 'hello', ...spec },
});
const cron = triggerOf('CronJobTrigger', { schedule: '@yearly' });
const http = triggerOf('HTTPTrigger', { 'host-name': 'example.com' });

const documents = (...objects: object[]): string =>
  objects.map((object) => JSON.stringify(object)).join('\n---\n');

test('what import writes runs, and what it leaves out is told', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  const input = documents(manifest, cron, http, config);
  const { code, stdout, stderr } = await importKubeless(input, '-');
  assert.equal(code, 0, stderr);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'Function default/hello: scale: as in Kubeless it never sleeps; with min: 0 it would, until ' +
      'it is called',
    'CronJobTrigger default/hello: has no counterpart, and is left out',
    'ConfigMap c: is not of Kubeless, and is left out',
  ]);
  assert.match(stdout, /^apiVersion: fnlet\.dev\/v1alpha1\nkind: Function\n/);
  const { parseDocument } = await import('yaml');
  const [first = '', second = ''] = stdout.split(/^---$/m);
  const written: { spec: Record<string, unknown> } = parseDocument(first).toJS();
  assert.deepEqual(parseDocument(second).toJS().spec, {
    source: { http: { hosts: ['example.com'] } },
    target: { function: 'hello' },
  });
  const api = await createApi(fnlet.endpoints.kubeconfig);
  try {
    await api.applyFunction('hello', written.spec);
    await api.waitReady('hello');
    const answer = await fetch(`${fnlet.endpoints.gateway}/default/hello`);
    assert.equal(await answer.text(), 'run says hi');
    await api.deleteFunction('hello');
  } finally {
    await api.close();
  }
});

test('import reads a cluster, and prints JSON', async () => {
  const there = { name: 'there' };
  const items = [manifest, cron].map((object) => ({ ...object, metadata: there }));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const applied = await fnlet.kubectl(['apply', '-f', '-'], { input });
  assert.equal(applied.code, 0, applied.stderr);
  const { code, stdout, stderr } = await importKubeless('', 'cluster', '-o', 'json');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^CronJobTrigger default\/there: has no counterpart/m);
  const names: string[] = JSON.parse(stdout).items.map(
    ({ metadata }: { metadata: { name: string } }) => metadata.name,
  );
  assert.deepEqual(names, ['there']);
  const elsewhere = ['cluster', '-n', 'kube-system'];
  await until(async () => (await importKubeless('', ...elsewhere)).code === exitCodes.notFound, {
    what: 'a namespace without functions to be told',
  });
});

test('what cannot be translated is told, and the others are written', async () => {
  const name = { name: 'wrong' };
  const wrong = { ...manifest, metadata: name, spec: { ...manifest.spec, handler: 'nothing' } };
  const { code, stdout, stderr } = await importKubeless(documents(wrong, manifest), '-');
  assert.equal(code, exitCodes.failed);
  assert.match(stderr, /^Function wrong: cannot be translated: handler: found "nothing"/m);
  assert.match(stderr, /^fnlet: Cannot translate 1 of 2 objects$/m);
  assert.match(stdout, /name: hello/);
  assert.equal((await importKubeless('', 'missing.yaml')).code, exitCodes.usage);
  assert.equal((await importKubeless('', '-')).code, exitCodes.notFound);
});
