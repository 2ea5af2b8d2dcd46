/** `fnlet import kyma`: what it writes is applied and called. */
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

function importKyma(input: string, ...args: string[]): Promise<Finished> {
  return fnlet.cli(['import', 'kyma', ...args], { input });
}

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

const rule = {
  apiVersion: 'gateway.kyma-project.io/v2',
  kind: 'APIRule',
  metadata: { name: 'hello', namespace: 'default' },
};

const documents = (...objects: object[]): string =>
  objects.map((object) => JSON.stringify(object)).join('\n---\n');

test('what import writes runs, and what it leaves out is told', async () => {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
  const { code, stdout, stderr } = await importKyma(documents(manifest, rule, config), '-');
  assert.equal(code, 0, stderr);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'Function default/hello: scaleConfig: has no effect, in Kyma neither',
    'Function default/hello: replicas: with 0 the function sleeps until it is called; in Kyma ' +
      'nobody answers then',
    'APIRule default/hello: has no counterpart, and is left out',
    'ConfigMap c: is not of Kyma, and is left out',
  ]);
  assert.match(stdout, /^apiVersion: fnlet\.dev\/v1alpha1\nkind: Function\n/);
  const { parseDocument } = await import('yaml');
  const written: { spec: Record<string, unknown> } = parseDocument(stdout).toJS();
  const api = await createApi(fnlet.endpoints.kubeconfig);
  try {
    await api.applyFunction('hello', written.spec);
    await api.waitReady('hello');
    const answer = await fetch(`${fnlet.endpoints.gateway}/default/hello`);
    assert.equal(await answer.text(), 'hello says hi');
    await api.deleteFunction('hello');
  } finally {
    await api.close();
  }
});

test('import reads a cluster, and prints JSON', async () => {
  const body = JSON.stringify({ ...manifest, metadata: { name: 'there' } });
  const applied = await fnlet.kubectl(['apply', '-f', '-'], { input: body });
  assert.equal(applied.code, 0, applied.stderr);
  const { code, stdout } = await importKyma('', 'cluster', '-o', 'json');
  assert.equal(code, 0);
  const names: string[] = JSON.parse(stdout).items.map(
    ({ metadata }: { metadata: { name: string } }) => metadata.name,
  );
  assert.deepEqual(names, ['there']);
  await until(async () => (await importKyma('', 'cluster', '-n', 'kube-system')).code === 3, {
    what: 'a namespace without Functions to be told',
  });
});

test('a file that no API has completed is translated as Kyma would complete it', async () => {
  const { spec, ...others } = manifest;
  const { replicas: _replicas, ...plain } = spec;
  const bare = { ...others, metadata: { name: 'bare' }, spec: plain };
  const { code, stdout, stderr } = await importKyma(JSON.stringify(bare), '-', '-o', 'json');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Function bare: scale: as in Kyma it never sleeps/m);
  const { scale, resources } = JSON.parse(stdout).items[0].spec;
  assert.deepEqual([scale.min, scale.max, resources], [1, 1, { profile: 'L' }]);
});

test('what cannot be translated is told, and the others are written', async () => {
  const name = { name: 'wrong' };
  const wrong = { ...manifest, metadata: name, spec: { ...manifest.spec, env: [{ name: '1' }] } };
  const { code, stdout, stderr } = await importKyma(documents(wrong, manifest), '-');
  assert.equal(code, exitCodes.failed);
  assert.match(stderr, /^Function wrong: cannot be translated: spec\.env: 1\. Err: /m);
  assert.match(stderr, /^fnlet: Cannot translate 1 of 2 objects$/m);
  assert.match(stdout, /name: hello/);
  assert.equal((await importKyma('a: [', '-')).code, exitCodes.usage);
  assert.equal((await importKyma('', 'missing.yaml')).code, exitCodes.usage);
  assert.equal((await importKyma('', '-')).code, exitCodes.notFound);
});
