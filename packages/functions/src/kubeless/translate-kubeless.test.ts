import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionSpec } from '@fnlet/api';
import { type KubelessTranslation, translateKubeless } from './translate-kubeless.ts';

const right = { runtime: 'nodejs14', handler: 'hello.run', function: 'exports.run = () => 1;' };

function translate(spec: object, metadata: object = {}): KubelessTranslation {
  return translateKubeless(
    Object({
      apiVersion: 'kubeless.io/v1beta1',
      kind: 'Function',
      metadata: { name: 'hello', namespace: 'default', ...metadata },
      spec: { ...right, ...spec },
    }),
  );
}

function translated(
  spec: object,
  metadata: object = {},
): Extract<KubelessTranslation, { kind: 'translated' }> {
  const translation = translate(spec, metadata);
  assert.ok(translation.kind === 'translated', JSON.stringify(translation));
  return translation;
}

function specOf(spec: object, metadata: object = {}): FunctionSpec {
  return translated(spec, metadata).function.spec;
}

/** A Deployment whose Pod has these fields, and its container those. */
function deployment(container: object, pod: object = {}, more: object = {}): object {
  const template = { spec: { containers: [container], ...pod } };
  return { deployment: { spec: { template, ...more } } };
}

const digest = 'ab'.repeat(32);

const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } };
const byCpu = { min: 1, max: 4, metrics: [{ cpu: { target: 70 } }] };

function scaledBy(metric: object): object {
  const bounds = { scaleTargetRef: { name: 'hello' }, minReplicas: 1, maxReplicas: 4 };
  const spec = { ...bounds, metrics: [metric] };
  return { horizontalPodAutoscaler: { metadata: { name: 'hello' }, spec } };
}

test('translateKubeless() puts the code into the file that the handler names', () => {
  const spec = specOf({ deps: '{"dependencies": {}}', timeout: '30' });
  assert.deepEqual(spec.source, { files: { 'hello.js': right.function } });
  assert.equal(spec.handler, 'hello.run');
  assert.equal(spec.compatibility, 'kubeless');
  assert.equal(spec.dependencies, '{"dependencies": {}}');
  assert.equal(spec.timeout, '30s');
  const python = specOf({ runtime: 'python3.7', deps: ' ', 'function-content-type': 'text' });
  assert.deepEqual(python.source, { files: { 'hello.py': right.function } });
  assert.equal(python.dependencies, undefined);
  assert.equal(python.timeout, '180s');
});

test('translateKubeless() takes code in base64, and archives with their digest', () => {
  const base64 = Buffer.from('exports.run = () => "ü";').toString('base64');
  const types = (type: string, code: string): FunctionSpec['source'] =>
    specOf({ 'function-content-type': type, function: code, checksum: `sha256:${digest}` }).source;
  assert.deepEqual(types('base64', base64), { files: { 'hello.js': 'exports.run = () => "ü";' } });
  assert.deepEqual(types('base64+zip', 'UEsD'), { archive: { data: 'UEsD', sha256: digest } });
  const url = 'https://example.com/a.tar.gz';
  assert.deepEqual(types('url+compressedtar', url), { archive: { url, sha256: digest } });
});

test('translateKubeless() leaves the dependency file to an archive that brings one', () => {
  const spec = { function: 'UEsD', 'function-content-type': 'base64+zip+deps', deps: '{}' };
  assert.equal(specOf(spec).dependencies, undefined);
});

test('translateKubeless() takes environment, bounds and account of the Deployment', () => {
  const spec = specOf(
    deployment(
      {
        env: [
          { name: 'A', value: 'a' },
          { name: 'B', value: '$(A)$(C)' },
          { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          { name: 'MOD_NAME', value: 'mine' },
        ],
        resources: { limits: { cpu: '0', memory: '128Mi' }, requests: { memory: '128Mi' } },
      },
      { serviceAccountName: 'robot' },
    ),
  );
  assert.deepEqual(spec.env, [
    { name: 'A', value: 'a' },
    { name: 'B', value: 'a$(C)' },
    { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    { name: 'FUNC_HANDLER', value: 'run' },
    { name: 'MOD_NAME', value: 'hello' },
    { name: 'FUNC_TIMEOUT', value: '180' },
    { name: 'FUNC_RUNTIME', value: 'nodejs14' },
    { name: 'FUNC_MEMORY_LIMIT', value: '128Mi' },
    { name: 'FUNC_PORT', value: '8080' },
    { name: 'KUBELESS_INSTALL_VOLUME', value: '/kubeless' },
  ]);
  assert.deepEqual(spec.resources, {
    limits: { memory: '128Mi' },
    requests: { memory: '128Mi' },
  });
  assert.equal(spec.serviceAccountName, 'robot');
});

test('translateKubeless() mounts Secrets where Kubeless does, and names what it cannot mount', () => {
  const { function: made, notices } = translated(
    deployment(
      {
        volumeMounts: [
          { name: 'keys-vol', mountPath: '/keys/' },
          { name: 'keys-vol', mountPath: '/one', subPath: 'a' },
          { name: 'scratch', mountPath: '/scratch' },
        ],
      },
      {
        volumes: [
          { name: 'keys-vol', secret: { secretName: 'keys' } },
          { name: 'scratch', emptyDir: {} },
        ],
        nodeSelector: { disk: 'ssd' },
      },
    ),
  );
  assert.deepEqual(made.spec.mounts, [{ secret: 'keys', path: '/keys' }]);
  const told = notices.join('\n');
  assert.match(told, /volume "keys-vol" with subPath "a" has no counterpart/);
  assert.match(told, /volume "scratch" has no counterpart[\s\S]*nodeSelector/);
});

const scales: readonly [string, object, object, Partial<FunctionSpec['scale']>][] = [
  ['one Instance by default', {}, {}, { min: 1, max: 1 }],
  ['the replicas of the Deployment', deployment({}, {}, { replicas: 3 }), {}, { min: 3, max: 3 }],
  ['no Instance while nobody calls', deployment({}, {}, { replicas: 0 }), {}, { min: 0, max: 1 }],
  [
    'what an autoscaler allows',
    {
      horizontalPodAutoscaler: {
        metadata: { name: 'hello' },
        spec: { scaleTargetRef: { name: 'hello' }, minReplicas: 2, maxReplicas: 7 },
      },
    },
    {},
    { min: 2, max: 7 },
  ],
  ['the use of CPU that it scales by', scaledBy({ type: 'Resource', resource: cpu }), {}, byCpu],
  [
    'the same as an older API writes it',
    scaledBy({ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 70 } }),
    {},
    byCpu,
  ],
  [
    'the calls a second that it scales by',
    scaledBy({
      type: 'Object',
      object: { metric: { name: 'function_calls' }, target: { type: 'Value', value: '2k' } },
    }),
    {},
    { min: 1, max: 4, metrics: [{ rps: { target: 2000 } }] },
  ],
  [
    'nothing of an autoscaler without a target',
    { horizontalPodAutoscaler: { metadata: { name: 'hello' }, spec: { maxReplicas: 7 } } },
    {},
    { min: 1, max: 1 },
  ],
  [
    'sleep, when an annotation allows it',
    {},
    { annotations: { 'fnlet.dev/idle-after': '5m' } },
    { min: 0, max: 1, idleAfter: '5m' },
  ],
];

for (const [title, spec, metadata, expected] of scales) {
  test(`translateKubeless() gives ${title}`, () => {
    const { scale } = specOf(spec, metadata);
    assert.deepEqual({ ...scale, ...expected }, scale);
  });
}

test('translateKubeless() names a metric that scales nothing here', () => {
  const { notices } = translated(scaledBy({ type: 'Pods', pods: {} }));
  assert.match(notices.join(), /only use of CPU \(Utilization\) and function_calls scale here/);
});

const refusals: readonly [string, object, RegExp][] = [
  ['a handler without a function', { handler: 'hello' }, /expected module\.function/],
  ['a handler with more dots', { handler: 'a.b.c' }, /expected module\.function/],
  ['no runtime', { runtime: '' }, /runtime/],
  ['an unknown content type', { 'function-content-type': 'bytes' }, /unknown format/],
  ['an archive as text', { 'function-content-type': 'text+zip' }, /an archive is base64/],
  ['another digest', { checksum: 'md5:00' }, /expected sha256/],
  ['a time that is none', { timeout: 'soon' }, /timeout: found "soon"/],
  ['a time that is too long', { timeout: '7200' }, /from 1 to 3600/],
  ['an image', deployment({ image: 'example.com/one' }), /image example\.com\/one/],
  [
    'bytes where text must be',
    { function: '/w==', 'function-content-type': 'base64' },
    /binary data/,
  ],
  [
    'a URL of one file',
    { 'function-content-type': 'url', function: 'https://a/b.js' },
    /single file/,
  ],
  ['a variable without a name', deployment({ env: [{ value: 'x' }] }), /name/],
];

for (const [title, spec, reason] of refusals) {
  test(`translateKubeless() refuses ${title}, with the reason`, () => {
    const translation = translate(spec);
    assert.ok(translation.kind === 'refused', JSON.stringify(translation));
    assert.match(translation.reasons.join('\n'), reason);
  });
}
