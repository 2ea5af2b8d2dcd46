/** `fnlet import kyma`: what it writes is applied and called. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { documents, type ImportShop, openImportShop, specsOf } from './import-shop.ts';
import { until } from './until.ts';

let shop: ImportShop;
before(async () => {
  shop = await openImportShop('kyma');
});
after(() => shop[Symbol.asyncDispose]());

const source = `module.exports = { main: (event, context) =>
  context['function-name'] + ' says ' + process.env.WORD };`;

const manifest = {
  apiVersion: 'serverless.kyma-project.io/v1alpha2',
  kind: 'Function',
  metadata: { name: 'hello', namespace: 'default' },
  spec: {
    runtime: 'nodejs24',
    source: { inline: { source } },
    env: [{ name: 'WORD', value: 'hi' }],
    scaleConfig: { minReplicas: 1, maxReplicas: 5 },
    replicas: 0,
  },
};

const others = {
  apiVersion: 'operator.kyma-project.io/v1alpha1',
  kind: 'Serverless',
  metadata: { name: 'hello', namespace: 'default' },
};

test('what import writes runs, and what it leaves out is told', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  const { code, stdout, stderr } = await shop.run(documents(manifest, others, config), '-');
  assert.equal(code, 0, stderr);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'Function default/hello: scaleConfig: has no effect, in Kyma neither',
    'Function default/hello: replicas: with 0 the function sleeps until it is called; in Kyma ' +
      'nobody answers then',
    'Serverless default/hello: has no counterpart, and is left out',
    'ConfigMap c: is not of Kyma, and is left out',
  ]);
  assert.match(stdout, /^apiVersion: fnlet\.dev\/v1alpha1\nkind: Function\n/);
  const [written = {}] = await specsOf(stdout);
  assert.equal(await shop.answerOf(written), 'hello says hi');
});

test('what stands around a Function becomes a Broker and Triggers, or is told', async () => {
  const metadata = { name: 'hello' };
  const service = { name: 'hello', port: 80 };
  const { stdout, stderr, code } = await shop.run(
    documents(
      {
        ...{ apiVersion: 'gateway.kyma-project.io/v2', kind: 'APIRule', metadata },
        spec: {
          hosts: ['hello'],
          service,
          rules: [{ path: '/*', methods: ['GET'], noAuth: true }],
        },
      },
      {
        ...{ apiVersion: 'eventing.kyma-project.io/v1alpha2', kind: 'Subscription', metadata },
        spec: { source: 'a', types: ['b.c'], sink: 'http://hello.default.svc.cluster.local' },
      },
      {
        ...{ apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata },
        spec: {
          scaleTargetRef: { ...manifest, name: 'hello' },
          triggers: [{ type: 'cpu', metadata: { value: '50' } }],
        },
      },
    ),
    '-',
  );
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    [...stdout.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind),
    ['Trigger', 'Broker', 'Trigger'],
  );
  assert.match(
    stderr,
    /^ScaledObject hello: Function hello scales so with spec[.]scale: \{"min":0/m,
  );
});

test('import reads a cluster, and prints JSON', async () => {
  await shop.apply({ ...manifest, metadata: { name: 'there' } });
  assert.deepEqual((await shop.namesInCluster()).names, ['there']);
  await until(async () => (await shop.run('', 'cluster', '-n', 'kube-system')).code === 3, {
    what: 'a namespace without Functions to be told',
  });
});

test('a file that no API has completed is translated as Kyma would complete it', async () => {
  const { spec, ...head } = manifest;
  const { replicas: _replicas, ...plain } = spec;
  const bare = { ...head, metadata: { name: 'bare' }, spec: plain };
  const { code, stdout, stderr } = await shop.run(JSON.stringify(bare), '-', '-o', 'json');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Function bare: scale: as in Kyma it never sleeps/m);
  const { scale, resources } = JSON.parse(stdout).items[0].spec;
  assert.deepEqual([scale.min, scale.max, resources], [1, 1, { profile: 'L' }]);
});

test('what cannot be translated is told, and the others are written', async () => {
  const name = { name: 'wrong' };
  const wrong = { ...manifest, metadata: name, spec: { ...manifest.spec, env: [{ name: '1' }] } };
  const { code, stdout, stderr } = await shop.run(documents(wrong, manifest), '-');
  assert.equal(code, exitCodes.failed);
  assert.match(stderr, /^Function wrong: cannot be translated: spec\.env: 1\. Err: /m);
  assert.match(stderr, /^fnlet: Cannot translate 1 of 2 objects$/m);
  assert.match(stdout, /name: hello/);
  assert.equal((await shop.run('a: [', '-')).code, exitCodes.usage);
  assert.equal((await shop.run('', 'missing.yaml')).code, exitCodes.usage);
  assert.equal((await shop.run('', '-')).code, exitCodes.notFound);
});
