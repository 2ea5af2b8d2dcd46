import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionSpec } from '@fnlet/api';
import { idleAfterAnnotation } from '../idle-after.ts';
import { scaleAnnotation } from '../scale-annotation.ts';
import { type KymaTranslation, translateKyma } from './translate-kyma.ts';

const inline = { source: 'module.exports = { main: () => "hi" }' };

function translate(spec: object, metadata: object = {}): KymaTranslation {
  return translateKyma(
    Object({
      apiVersion: 'serverless.kyma-project.io/v1alpha2',
      kind: 'Function',
      metadata: { name: 'hello', namespace: 'default', ...metadata },
      spec: { runtime: 'nodejs24', source: { inline }, replicas: 1, ...spec },
    }),
  );
}

function specOf(spec: object, metadata: object = {}): FunctionSpec {
  const translation = translate(spec, metadata);
  assert.equal(translation.kind, 'translated', JSON.stringify(translation));
  return translation.kind === 'translated' ? translation.function.spec : assert.fail();
}

function valuesOf({ env = [] }: FunctionSpec): Record<string, string | undefined> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

test('translateKyma() keeps the code byte for byte in the file that Kyma puts it into', () => {
  const source = 'a $$ $(FUNC_NAME) \\n `x`\r\n';
  const node = specOf({ source: { inline: { source, dependencies: '{"dependencies": {}}' } } });
  assert.deepEqual(node.source, { files: { 'handler.js': source } });
  assert.equal(node.dependencies, '{"dependencies": {}}');
  assert.equal(node.handler, 'handler.main');
  assert.equal(node.compatibility, 'kyma');
  const python = specOf({
    runtime: 'python312',
    source: { inline: { source, dependencies: ' ' } },
  });
  assert.deepEqual(python.source, { files: { 'handler.py': source } });
  assert.equal(python.dependencies, undefined);
});

test('translateKyma() gives the variables of a Pod of Kyma in their order', () => {
  const { env = [] } = specOf({ env: [{ name: 'A', value: 'a' }] });
  assert.deepEqual(
    env.map(({ name }) => name),
    [
      'FUNC_NAME',
      'FUNC_RUNTIME',
      'SERVICE_NAMESPACE',
      'TRACE_COLLECTOR_ENDPOINT',
      'PUBLISHER_PROXY_ADDRESS',
      'A',
      'HANDLER_PATH',
    ],
  );
  const python = valuesOf(specOf({ runtime: 'python312' }));
  assert.deepEqual(
    [python.MOD_NAME, python.FUNC_HANDLER, python.PYTHONUNBUFFERED, python.FUNCTION_PATH],
    ['handler', 'main', 'TRUE', '/kubeless'],
  );
});

test('translateKyma() lets users set what is not reserved, and the image what it needs', () => {
  const values = valuesOf(
    specOf({
      env: [
        { name: 'PUBLISHER_PROXY_ADDRESS', value: 'http://mine' },
        { name: 'A', value: 'first' },
        { name: 'HANDLER_PATH', value: 'mine' },
        { name: 'A', value: 'second' },
      ],
    }),
  );
  assert.equal(values.PUBLISHER_PROXY_ADDRESS, 'http://mine');
  assert.equal(values.A, 'second');
  assert.equal(values.HANDLER_PATH, './function/handler.js');
});

test('translateKyma() puts in variables that stand before, as a kubelet does', () => {
  const secretKeyRef = { name: 's', key: 'k' };
  const translation = translate({
    env: [
      { name: 'LATE', value: '$(NAME)' },
      { name: 'NAME', value: 'Ada' },
      { name: 'GREETING', value: 'Hello $(NAME) of $(FUNC_NAME), $$(NAME) $(NOBODY)' },
      { name: 'KEY', valueFrom: { secretKeyRef } },
      { name: 'URL', value: 'https://$(KEY)@host' },
    ],
  });
  assert.ok(translation.kind === 'translated');
  const values = valuesOf(translation.function.spec);
  assert.equal(values.GREETING, 'Hello Ada of hello, $(NAME) $(NOBODY)');
  assert.equal(values.LATE, '$(NAME)');
  assert.deepEqual(translation.notices, [
    'env URL: $(KEY) stays as it is, since its value is not known here',
  ]);
});

test('translateKyma() keeps presets and bounds; nothing said is the preset L', () => {
  assert.deepEqual(specOf({}).resources, { profile: 'L' });
  const profile = { function: { profile: 'XS' } };
  assert.deepEqual(specOf({ resourceConfiguration: profile }).resources, { profile: 'XS' });
  const resources = { limits: { cpu: 1, memory: '64Mi', 'example.dev/gpu': 1 } };
  const translation = translate({ resourceConfiguration: { function: { resources } } });
  assert.ok(translation.kind === 'translated');
  assert.equal(translation.profile, 'custom');
  const { spec } = translation.function;
  assert.deepEqual(spec.resources, { limits: { cpu: 1, memory: '64Mi' } });
  assert.deepEqual(translation.notices, [
    'resourceConfiguration.function.resources: example.dev/gpu has no counterpart',
  ]);
});

test('translateKyma() runs as many Instances as replicas, unless they may sleep', () => {
  const scaleOf = (spec: object, annotations = {}): object => {
    const { min, max, idleAfter } = specOf(spec, { annotations }).scale;
    return { min, max, idleAfter };
  };
  assert.deepEqual(scaleOf({}), { min: 1, max: 1, idleAfter: '60s' });
  assert.deepEqual(scaleOf({ replicas: 5 }), { min: 5, max: 5, idleAfter: '60s' });
  assert.deepEqual(scaleOf({ replicas: 0 }), { min: 0, max: 1, idleAfter: '60s' });
  const annotations = { [idleAfterAnnotation]: '5m' };
  assert.deepEqual(scaleOf({ replicas: 3 }, annotations), { min: 0, max: 3, idleAfter: '5m' });
});

test('translateKyma() scales as its annotation says, in place of its replicas', () => {
  const annotations = { [scaleAnnotation]: '{"min":2,"max":7,"metrics":[{"cpu":{"target":50}}]}' };
  const { min, max, metrics } = specOf({ replicas: 1 }, { annotations }).scale;
  assert.deepEqual([min, max, metrics], [2, 7, [{ cpu: { target: 50 } }]]);
  const wrong = translate({}, { annotations: { [scaleAnnotation]: '{"min":-1}' } });
  assert.ok(wrong.kind === 'refused' && wrong.reasons[0]?.startsWith('spec.scale.min'));
  const unread = translate({}, { annotations: { [scaleAnnotation]: '[' } });
  assert.ok(unread.kind === 'translated');
  assert.match(unread.notices.join(), /fnlet.dev[/]scale is no object of JSON/);
  assert.equal(unread.function.spec.scale.min, 1);
});

test('translateKyma() takes the timeout from FUNC_TIMEOUT, else that of Kyma', () => {
  const timeoutOf = (value: string): string =>
    specOf({ env: [{ name: 'FUNC_TIMEOUT', value }] }).timeout;
  assert.equal(specOf({}).timeout, '180s');
  assert.equal(timeoutOf('2'), '2s');
  assert.equal(timeoutOf('0.5'), '500ms');
  for (const none of ['', '0', '-1', 'x']) assert.equal(timeoutOf(none), '180s');
  for (const long of ['100000', 'Infinity']) assert.equal(timeoutOf(long), '3600s');
});

test('translateKyma() mounts Secrets as directories', () => {
  const secretMounts = [
    { secretName: 'a', mountPath: '/etc//a/' },
    { secretName: 'b', mountPath: 'b' },
  ];
  const { mounts = [] } = specOf({ secretMounts });
  assert.deepEqual(
    mounts.map(({ secret, path }) => [secret, path]),
    [
      ['a', '/etc/a'],
      ['b', '/b'],
    ],
  );
});

test('translateKyma() reads a repository with its directory, reference and Secret', () => {
  const gitOf = (change: object): object | undefined => {
    const url = 'https://example.dev/repo.git';
    const gitRepository = { url, baseDir: '/', reference: ' main ', ...change };
    return specOf({ source: { gitRepository } }).source.git;
  };
  const plain = { url: 'https://example.dev/repo.git', reference: 'main', interval: '2m' };
  assert.deepEqual(gitOf({}), plain);
  assert.deepEqual(gitOf({ baseDir: './fns/a/' }), { ...plain, directory: 'fns/a' });
  const auth = { type: 'key', secretName: 'ssh' };
  const url = 'git@example.dev:me/repo.git';
  assert.deepEqual(gitOf({ url, auth }), { ...plain, url, secretRef: { name: 'ssh' } });
  const shown = gitOf({ url: 'https://me@example.dev/repo.git' });
  assert.deepEqual(shown, plain);
});

test('translateKyma() gives Pods the labels and annotations that are asked for', () => {
  const spec = specOf({ labels: { a: 'b' }, annotations: { note: 'x' } }, { labels: { app: 'y' } });
  assert.deepEqual(spec.labels, { 'app.kubernetes.io/name': 'hello', a: 'b' });
  assert.equal(spec.annotations?.note, 'x');
});

test('translateKyma() says what has no effect', () => {
  const translation = translate({
    runtimeImageOverride: 'example.dev/node:1',
    scaleConfig: { minReplicas: 1, maxReplicas: 2 },
    resourceConfiguration: { build: { profile: 'fast' } },
    podSecurityContext: {},
    replicas: 0,
  });
  assert.ok(translation.kind === 'translated');
  const fields = translation.notices.map((notice) => notice.split(':')[0]);
  assert.deepEqual(fields, [
    'runtimeImageOverride',
    'scaleConfig',
    'resourceConfiguration.build',
    'podSecurityContext',
    'replicas',
  ]);
});

const refused: readonly [string, object, RegExp][] = [
  [
    'a variable name with a digit first',
    { env: [{ name: '1A' }] },
    /^spec\.env: 1A\. Err: a valid environment variable name must consist of alphabetic/,
  ],
  ['the variable ..', { env: [{ name: '..' }] }, /^spec\.env: \.\.\. Err: must not be '\.\.'/],
  [
    'dependencies that are no JSON object',
    { source: { inline: { ...inline, dependencies: 'lodash' } } },
    /^invalid source\.inline\.dependencies value: deps should start with '{' and end with '}'/,
  ],
  [
    'one Secret mounted twice',
    {
      secretMounts: [
        { secretName: 'a', mountPath: '/a' },
        { secretName: 'a', mountPath: '/b' },
      ],
    },
    /^invalid spec\.secretMounts: \[secretNames should be unique\]/,
  ],
  [
    'a Secret that cannot be',
    { secretMounts: [{ secretName: 'A_', mountPath: '/a' }] },
    /^invalid spec\.secretMounts: \[a lowercase RFC 1123 subdomain must consist of/,
  ],
  ['a label value', { labels: { a: 'b c' } }, /^spec\.labels: Invalid value: "b c": a valid label/],
  ['a label key', { labels: { 'a b': '' } }, /^spec\.labels: Invalid value: "a b": name part must/],
  ['an annotation key', { annotations: { '-': '' } }, /^spec\.annotations: Invalid value: "-"/],
  [
    'a relative address',
    { source: { gitRepository: { url: 'me/repo', baseDir: '/', reference: 'main' } } },
    /^source\.gitRepository\.URL: parse "me\/repo": invalid URI for request/,
  ],
  [
    'little memory',
    { resourceConfiguration: { function: { resources: { limits: { memory: '8Mi' } } } } },
    /^Function limits memory\(8Mi\) should be higher than minimal value \(16Mi\)/,
  ],
  [
    'a request above its limit',
    {
      resourceConfiguration: {
        function: { resources: { limits: { cpu: '100m' }, requests: { cpu: '200m' } } },
      },
    },
    /^Function limits cpu\(100m\) should be higher than requests cpu\(200m\)/,
  ],
  ['what Fnlet has no counterpart of', { env: [{ name: 'A', valueFrom: {} }] }, /exactly one of/],
  ['too many Instances', { replicas: 5000 }, /^spec\.scale\.min: .*1000/],
  ['what its definition refuses', { runtime: 'nodejs99' }, /^spec\.runtime: Unsupported value/],
  ['a reserved variable', { env: [{ name: 'MOD_NAME' }] }, /^spec\.env: .*are reserved/],
];

for (const [title, spec, reason] of refused) {
  test(`translateKyma() refuses ${title}`, () => {
    const translation = translate(spec);
    assert.ok(translation.kind === 'refused');
    assert.match(translation.reasons[0] ?? '', reason);
  });
}

test('translateKyma() completes what no API has completed, in any version', () => {
  const object = {
    apiVersion: 'serverless.kyma-project.io/v2alpha1',
    kind: 'Function',
    metadata: { name: 'hello' },
    spec: { runtime: 'nodejs24', source: { inline: 'x' }, resourceConfiguration: { profile: 'S' } },
  };
  const translation = translateKyma(object);
  assert.ok(translation.kind === 'translated');
  const { spec, metadata } = translation.function;
  assert.deepEqual(metadata, { name: 'hello' });
  const namespace = spec.env?.find(({ name }) => name === 'SERVICE_NAMESPACE');
  assert.deepEqual(namespace?.valueFrom, { fieldRef: { fieldPath: 'metadata.namespace' } });
  assert.deepEqual([spec.scale.min, spec.resources], [1, { profile: 'S' }]);
});

test('translateKyma() refuses a name that its Service could not have', () => {
  const translation = translate({}, { name: 'with.dot' });
  assert.ok(translation.kind === 'refused');
  assert.match(translation.reasons[0] ?? '', /the name of a Function must be at most/);
});
