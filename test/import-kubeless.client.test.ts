/** `fnlet import kubeless`: what it writes is applied and called. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { documents, type ImportShop, openImportShop, specsOf } from './import-shop.ts';
import { until } from './until.ts';

let shop: ImportShop;
before(async () => {
  shop = await openImportShop('kubeless');
});
after(() => shop[Symbol.asyncDispose]());

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
  spec,
});
const cron = triggerOf('CronJobTrigger', { 'function-name': 'hello', schedule: '@yearly' });
const http = triggerOf('HTTPTrigger', { 'function-name': 'hello', 'host-name': 'example.com' });
const kafka = triggerOf('KafkaTrigger', { topic: 'orders' });
const selector = { matchLabels: { function: 'nobody' } };
const nats = triggerOf('NATSTrigger', { topic: 'orders', functionSelector: selector });

test('what import writes runs, and what it leaves out is told', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  const input = documents(manifest, cron, http, kafka, nats, config);
  const { code, stdout, stderr } = await shop.run(input, '-');
  assert.equal(code, 0, stderr);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'Function default/hello: scale: as in Kubeless it never sleeps; with min: 0 it would, until ' +
      'it is called',
    "KafkaTrigger default/hello: servers: kafka.kubeless:9092, where Kubeless's controller looked " +
      'unless it was told otherwise',
    'NATSTrigger default/hello: functionSelector selects none of the functions here: there is ' +
      'one Trigger for each',
    'ConfigMap c: is not of Kubeless, and is left out',
  ]);
  assert.match(stdout, /^apiVersion: fnlet\.dev\/v1alpha1\nkind: Function\n/);
  const [written = {}, clock, door, topic] = await specsOf(stdout);
  const called = { target: { function: 'hello' }, delivery: { format: 'kubeless' } };
  const yearly = { schedule: '@yearly', missed: 'once', concurrencyPolicy: 'Allow' };
  assert.deepEqual(clock, { source: { cron: yearly }, ...called });
  const orders = {
    ...{ servers: ['kafka.kubeless:9092'], topics: ['orders'], from: 'newest' },
    consumerGroup: 'default_hello_hello_orders',
  };
  assert.deepEqual(topic, { source: { kafka: orders }, ...called });
  assert.deepEqual(door, {
    source: { http: { hosts: ['example.com'] } },
    target: { function: 'hello' },
  });
  assert.equal(await shop.answerOf(written), 'run says hi');
});

test('import reads a cluster, and prints JSON', async () => {
  const there = { name: 'there' };
  await shop.apply(...[manifest, cron].map((object) => ({ ...object, metadata: there })));
  const { names } = await shop.namesInCluster();
  assert.deepEqual(names, ['there', 'there.cronjob']);
  const elsewhere = ['cluster', '-n', 'kube-system'];
  await until(async () => (await shop.run('', ...elsewhere)).code === exitCodes.notFound, {
    what: 'a namespace without functions to be told',
  });
});

test('what cannot be translated is told, and the others are written', async () => {
  const name = { name: 'wrong' };
  const wrong = { ...manifest, metadata: name, spec: { ...manifest.spec, handler: 'nothing' } };
  const { code, stdout, stderr } = await shop.run(documents(wrong, manifest), '-');
  assert.equal(code, exitCodes.failed);
  assert.match(stderr, /^Function wrong: cannot be translated: handler: found "nothing"/m);
  assert.match(stderr, /^fnlet: Cannot translate 1 of 2 objects$/m);
  assert.match(stdout, /name: hello/);
  assert.equal((await shop.run('', 'missing.yaml')).code, exitCodes.usage);
  assert.equal((await shop.run('', '-')).code, exitCodes.notFound);
});
