/**
 * The documented samples of Kyma, each written anew in the shape of the original: applied with
 * kubectl as they are, and called, with what Kyma's documentation promises.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type KymaClients, manifestOf, startKymaClients } from './kyma-clients.ts';
import { until } from './until.ts';

let kyma: KymaClients;
before(async () => {
  kyma = await startKymaClients();
});
after(() => kyma[Symbol.asyncDispose]());

const kind = 'functions.serverless.kyma-project.io';

const helloWorld = `module.exports = {
  main: function (event, context) {
    return 'Hello World!';
  },
};
`;

test('an inline Function is applied, called, looked at and deleted', async () => {
  await kyma.run({ name: 'hello', source: helloWorld });
  assert.equal(await kyma.answer('hello'), 'Hello World!');
  const columns = await kyma.kubectl('get', 'fns', 'hello');
  assert.match(
    columns,
    /^NAME\s+CONFIGURED\s+RUNNING\s+RUNTIME\s+VERSION\s+AGE\nhello\s+True\s+True\s+nodejs24\s+1\s/,
  );
  assert.match(await kyma.kubectl('describe', kind, 'hello'), /Normal\s+DeploymentReady/);
  assert.match(await kyma.kubectl('explain', 'fns.spec'), /secretMounts/);
  // The short name, and the plural, are those of Fnlet's own kind.
  const { stderr } = await kyma.fnlet.kubectl(['get', 'fn']);
  assert.equal(stderr, '');
  await kyma.kubectl('delete', kind, 'hello', '--timeout=20s');
  await until(async () => (await kyma.kubectl('get', 'fn', '-o', 'name')) === '', {
    what: 'the Function to follow',
  });
});

test('the context tells a function its name', async () => {
  const source = `module.exports = {
    main: (event, context) => {},
  };
  module.exports.main = function (event, context) {
    return \`Hello World from \${context['function-name']} in \${context.namespace}!\`;
  };`;
  await kyma.run({ name: 'who', runtime: 'nodejs22', source });
  assert.equal(await kyma.answer('who'), 'Hello World from who in default!');
});

test('dependencies are there, for CommonJS and ES modules', async () => {
  const dependencies = { name: 'kebab', version: '1.0.0', dependencies: { lodash: '^4.17.20' } };
  const text = 'Hello World from Node.js Function';
  const commonJs = `const _ = require('lodash');
    module.exports = { main: function (event, context) { return _.kebabCase('${text}'); } };`;
  const module = `import _ from 'lodash';
    export function main(event, context) { return _.kebabCase('${text}'); }`;
  await kyma.run(
    { name: 'kebab', source: commonJs, dependencies },
    { name: 'kebab-esm', source: module, dependencies: { ...dependencies, type: 'module' } },
  );
  const expected = 'hello-world-from-node-js-function';
  assert.equal(await kyma.answer('kebab'), expected);
  assert.equal(await kyma.answer('kebab-esm'), expected);
});

test('the sample of the reference: a variable of a Secret, a preset, labels, packages', async () => {
  const data = { name: 'John' };
  await kyma.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'who' },
    stringData: data,
  });
  await kyma.run({
    name: 'reference',
    source: `require('end-of-stream'); require('from2'); const _ = require('lodash');
      exports.main = function (event, context) {
        return 'Hello ' + _.capitalize(process.env.PERSON);
      };`,
    dependencies: {
      name: 'reference',
      dependencies: { 'end-of-stream': '^1.4.1', from2: '^2.3.0', lodash: '^4.17.5' },
    },
    spec: {
      env: [{ name: 'PERSON', valueFrom: { secretKeyRef: { name: 'who', key: 'name' } } }],
      resourceConfiguration: { function: { profile: 'S' }, build: { profile: 'local-dev' } },
      scaleConfig: { minReplicas: 1, maxReplicas: 3 },
      labels: { team: 'docs' },
    },
  });
  assert.equal(await kyma.answer('reference'), 'Hello John');
  const pods = await kyma.kubectl('get', 'pods', '-l', 'team=docs', '-o', 'name');
  assert.match(pods, /pod\/reference-/);
});

test('the request and the response of a call can be used', async () => {
  const source = `module.exports = {
    main: async function (event, context) {
      const { request, response } = event.extensions;
      if (!request.query.id) {
        response.status(400);
        return;
      }
      return String(42);
    },
  };`;
  await kyma.run({ name: 'answer', source });
  assert.equal((await kyma.call('answer')).status, 400);
  assert.equal(await kyma.answer('answer', '?id=1'), '42');
});

describe('the environment', () => {
  test('comes from ConfigMaps, and says how long a call may take', async () => {
    const data = { MY_VAR: 'from the ConfigMap' };
    await kyma.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'my-vars' }, data });
    const from = { configMapKeyRef: { name: 'my-vars', key: 'MY_VAR' } };
    await kyma.run({
      name: 'slow',
      source: `module.exports = {
        main: async function (event) {
          if (event.extensions.request.query.slow) await new Promise((done) => setTimeout(done, 9000));
          return process.env.MY_VAR;
        },
      };`,
      spec: {
        env: [
          { name: 'FUNC_TIMEOUT', value: '2' },
          { name: 'MY_VAR', valueFrom: from },
        ],
      },
    });
    assert.equal(await kyma.answer('slow'), 'from the ConfigMap');
    assert.equal((await kyma.call('slow', '?slow=1')).status, 408);
  });

  test('comes from three places, and is what a Pod of Kyma has', async () => {
    await kyma.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' }, data: { CM: 'a' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sec' }, stringData: { SEC: 'b' } },
    );
    const source = `module.exports = { main: function () {
      console.log(process.env.CM_VALUE, process.env.SECRET_VALUE, process.env.PLAIN);
      const { FUNC_NAME, FUNC_RUNTIME, SERVICE_NAMESPACE, HANDLER_PATH } = process.env;
      return { FUNC_NAME, FUNC_RUNTIME, SERVICE_NAMESPACE, HANDLER_PATH };
    } };`;
    const env = [
      { name: 'CM_VALUE', valueFrom: { configMapKeyRef: { name: 'cm', key: 'CM' } } },
      { name: 'SECRET_VALUE', valueFrom: { secretKeyRef: { name: 'sec', key: 'SEC' } } },
      { name: 'PLAIN', value: 'c' },
    ];
    await kyma.run({ name: 'envs', source, spec: { env } });
    assert.deepEqual(JSON.parse(await kyma.answer('envs')), {
      FUNC_NAME: 'envs',
      FUNC_RUNTIME: 'nodejs24',
      SERVICE_NAMESPACE: 'default',
      HANDLER_PATH: './function/handler.js',
    });
    const selector = 'serverless.kyma-project.io/function-name=envs';
    await until(async () => (await kyma.kubectl('logs', '-l', selector)).includes('a b c'), {
      what: 'the variables in the log',
    });
  });
});

test('a mounted Secret changes in a running function', async () => {
  const secret = (value: string): object => {
    const metadata = { name: 'mounted' };
    return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: value } };
  };
  await kyma.apply(secret('one'));
  const source = `const fs = require('fs');
    let calls = 0;
    module.exports = { main: () => fs.readFileSync('/etc/mounted/key', 'utf8') + ' ' + ++calls };`;
  const secretMounts = [{ secretName: 'mounted', mountPath: '/etc/mounted' }];
  await kyma.run({ name: 'mount', source, spec: { secretMounts } });
  assert.equal(await kyma.answer('mount'), 'one 1');
  await kyma.apply(secret('two'));
  const changed = await until(async () => /^two (\d+)$/.exec(await kyma.answer('mount'))?.[1], {
    what: 'the new value',
    timeoutMs: 60_000,
  });
  assert.ok(Number(changed) > 1, 'it was not restarted');
});

test('a function that computes: a Mandelbrot set', async () => {
  const source = `module.exports = {
    main: function (event) {
      const { width, height, iterations } = event.extensions.request.headers;
      const counts = [];
      for (let y = 0; y < Number(height); y++) {
        for (let x = 0; x < Number(width); x++) {
          const [a, b] = [(x / width) * 3 - 2, (y / height) * 2 - 1];
          let [u, v, n] = [0, 0, 0];
          while (u * u + v * v < 4 && n < Number(iterations)) {
            [u, v] = [u * u - v * v + a, 2 * u * v + b];
            n++;
          }
          counts.push(n);
        }
      }
      return { width: Number(width), height: Number(height), data: counts };
    },
  };`;
  await kyma.run({ name: 'mandelbrot', source });
  const headers = { width: '30', height: '20', iterations: '50' };
  const set: { width: number; data: number[] } = JSON.parse(
    await kyma.answer('mandelbrot', '', { headers }),
  );
  assert.equal(set.data.length, 600);
  assert.equal(Math.max(...set.data), 50);
});

test('the Service selects the Pods by exactly four labels', async () => {
  await kyma.run({ name: 'labelled', source: helloWorld });
  const service = JSON.parse(await kyma.kubectl('get', 'service', 'labelled', '-o', 'json'));
  const selector: Record<string, string> = service.spec.selector;
  assert.equal(Object.keys(selector).length, 4);
  assert.deepEqual(
    service.spec.ports.map(({ name, port }: { name: string; port: number }) => [name, port]),
    [['http', 80]],
  );
  const text = await kyma.kubectl('get', kind, 'labelled', '-o', 'jsonpath={.status.podSelector}');
  const pods = JSON.parse(await kyma.kubectl('get', 'pods', '-l', text, '-o', 'json'));
  assert.equal(pods.items.length, 1);
  const { labels } = pods.items[0].metadata;
  for (const [key, value] of Object.entries(selector)) assert.equal(labels[key], value, key);
  assert.equal(labels['app.kubernetes.io/name'], 'labelled');
});

test('kubectl scale sets the number of Instances, and 0 lets a call wake one', async () => {
  await kyma.run({ name: 'scaled', source: helloWorld });
  const instances = async (): Promise<number> => {
    const path = ['get', kind, 'scaled', '-o', 'jsonpath={.status.replicas}'];
    return Number(await kyma.kubectl(...path));
  };
  await kyma.kubectl('scale', `${kind}/scaled`, '--replicas=3');
  await until(async () => (await instances()) === 3, { what: 'three Instances' });
  await kyma.kubectl('scale', `${kind}/scaled`, '--replicas=0');
  assert.equal(await kyma.answer('scaled'), 'Hello World!');
});

test('code that does not load says where, and what runs goes on', async () => {
  await kyma.run({ name: 'broken', source: helloWorld });
  await kyma.apply({
    apiVersion: 'serverless.kyma-project.io/v1alpha2',
    kind: 'Function',
    metadata: { name: 'broken' },
    spec: {
      runtime: 'nodejs24',
      source: { inline: { source: 'module.exports = {\n  main: (\n' } },
    },
  });
  await kyma.kubectl('wait', '--for=condition=Running=False', `${kind}/broken`, '--timeout=30s');
  const message = await kyma.kubectl(
    ...['get', kind, 'broken', '-o', 'jsonpath={.status.conditions[?(@.type=="Running")].message}'],
  );
  assert.match(message, /^LoadFailed: .*handler\.js:\d+/);
  assert.equal(await kyma.answer('broken'), 'Hello World!');
});

test('a retired runtime runs on the nearest one, and the sketch of version 2 runs, too', async () => {
  await kyma.run({ name: 'retired', runtime: 'nodejs16', source: helloWorld });
  assert.equal(await kyma.answer('retired'), 'Hello World!');
  await kyma.apply({
    apiVersion: 'serverless.kyma-project.io/v2alpha1',
    kind: 'Function',
    metadata: { name: 'sketch' },
    spec: {
      replicas: 1,
      runtime: 'nodejs20',
      runtimeImageOverride: 'example.dev/nodejs20-custom:0.1',
      source: { inline: helloWorld },
      env: [{ name: 'MY_ENV', value: 'MY_VALUE' }],
      resourceConfiguration: { profile: 'XL' },
      labels: { 'test-label': 'test-label-value' },
      annotations: { 'test-annotation': 'test-annotation-value' },
    },
  });
  await kyma.kubectl('wait', '--for=condition=Running', `${kind}/sketch`, '--timeout=60s');
  assert.equal(await kyma.answer('sketch'), 'Hello World!');
  const pods = await kyma.kubectl('get', 'pods', '-l', 'test-label=test-label-value', '-o', 'name');
  assert.match(pods, /pod\/sketch-/);
});

test('the newer form of handlers, (req, res) with the sdk, runs on nodejs26', async () => {
  const source = `const sdk = require('sdk');
    module.exports = { main: function (req, res) {
      if (!req.query.id) return res.status(400).send('no id');
      res.json({ id: req.query.id, name: sdk.getFunctionName(), runtime: sdk.getRuntime() });
    } };`;
  await kyma.run({ name: 'newer', runtime: 'nodejs26', source });
  assert.equal((await kyma.call('newer')).status, 400);
  const answer = JSON.parse(await kyma.answer('newer', '?id=42'));
  assert.deepEqual(answer, { id: '42', name: 'newer', runtime: 'nodejs26' });
});

test('a service binding is found where SERVICE_BINDING_ROOT says', async () => {
  const data = { type: 'objectstore', bucket: 'b1' };
  await kyma.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bind' },
    stringData: data,
  });
  const source = `const { readdirSync, readFileSync } = require('fs');
    const root = process.env.SERVICE_BINDING_ROOT;
    const read = (name) => readFileSync(root + '/store/' + name, 'utf8');
    module.exports = { main: () => ({ bindings: readdirSync(root), bucket: read('bucket') }) };`;
  const spec = {
    env: [{ name: 'SERVICE_BINDING_ROOT', value: '/bindings' }],
    secretMounts: [{ secretName: 'bind', mountPath: '/bindings/store' }],
  };
  await kyma.run({ name: 'bound', source, spec });
  const answer = JSON.parse(await kyma.answer('bound'));
  assert.deepEqual(answer, { bindings: ['store'], bucket: 'b1' });
});

test('dependencies that npm cannot read are told, where Kyma would wait for ever', async () => {
  const dependencies = '{ "dependencies": { "lodash": "^4.17.20", } }';
  await kyma.apply(manifestOf({ name: 'comma', source: helloWorld, dependencies }));
  await kyma.kubectl('wait', '--for=condition=Running=False', `${kind}/comma`, '--timeout=30s');
  const message = await kyma.kubectl(
    ...['get', kind, 'comma', '-o', 'jsonpath={.status.conditions[?(@.type=="Running")].message}'],
  );
  assert.match(message, /^ManifestInvalid: Cannot read dependencies:1:43/);
});
