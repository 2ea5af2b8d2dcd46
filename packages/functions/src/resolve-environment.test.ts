import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap, Secret } from './core-kinds.ts';
import {
  type EnvironmentLookup,
  type EnvironmentSpec,
  type ResolvedEnvironment,
  resolveEnvironment,
} from './resolve-environment.ts';

const secret: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', uid: 'u1' },
  data: { TOKEN: Buffer.from('geheim').toString('base64'), SHARED: 'c2VjcmV0' },
};

const configMap: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', uid: 'u2' },
  data: { COLOR: 'red', SHARED: 'config' },
};

const lookup: EnvironmentLookup = {
  secret: (name) => (name === 's' ? secret : undefined),
  configMap: (name) => (name === 'c' ? configMap : undefined),
};

function resolve(spec: EnvironmentSpec, from = lookup): ResolvedEnvironment {
  return resolveEnvironment(spec, from);
}

function envOf(spec: EnvironmentSpec): Readonly<Record<string, string>> {
  const resolved = resolve(spec);
  assert.ok(resolved.kind === 'resolved', JSON.stringify(resolved));
  return resolved.env;
}

function digestOf(spec: EnvironmentSpec, from = lookup): string {
  const resolved = resolve(spec, from);
  assert.ok(resolved.kind === 'resolved');
  return resolved.digest;
}

test('resolveEnvironment() takes values as they are', () => {
  const value = '$(HOME) $$ `id`';
  assert.deepEqual(envOf({ env: [{ name: 'A', value }, { name: 'EMPTY' }] }), {
    A: value,
    EMPTY: '',
  });
});

test('resolveEnvironment() reads keys of Secrets and ConfigMaps', () => {
  const env = envOf({
    env: [
      { name: 'T', valueFrom: { secretKeyRef: { name: 's', key: 'TOKEN' } } },
      { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'COLOR' } } },
    ],
  });
  assert.deepEqual(env, { T: 'geheim', C: 'red' });
});

test('resolveEnvironment() lets env win over envFrom, and later over earlier', () => {
  const env = envOf({
    envFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'c' }, prefix: '' }],
    env: [{ name: 'COLOR', value: 'blue' }],
  });
  assert.deepEqual(env, { TOKEN: 'geheim', SHARED: 'config', COLOR: 'blue' });
});

test('resolveEnvironment() puts the prefix before every key', () => {
  assert.deepEqual(envOf({ envFrom: [{ configMapRef: { name: 'c' }, prefix: 'X_' }] }), {
    X_COLOR: 'red',
    X_SHARED: 'config',
  });
});

const missing: readonly [EnvironmentSpec, RegExp][] = [
  [{ envFrom: [{ secretRef: { name: 'gone' } }] }, /^Secret "gone" does not exist/],
  [{ envFrom: [{ configMapRef: { name: 'gone' } }] }, /^ConfigMap "gone" does not exist/],
  [
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'gone' } } }] },
    /^variable "A": Secret "s" has no key "gone"/,
  ],
  [
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'gone', key: 'k' } } }] },
    /^variable "A": ConfigMap "gone" does not exist/,
  ],
];

for (const [spec, expected] of missing) {
  test(`resolveEnvironment() says what is missing: ${expected.source}`, () => {
    const resolved = resolve(spec);
    assert.ok(resolved.kind === 'missing');
    assert.match(resolved.message, expected);
  });
}

test('resolveEnvironment() leaves out what is optional and missing', () => {
  const optional = true;
  const env = envOf({
    envFrom: [{ secretRef: { name: 'gone', optional } }],
    env: [
      { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'gone', optional } } },
      { name: 'B', valueFrom: { configMapKeyRef: { name: 'gone', key: 'k', optional } } },
    ],
  });
  assert.deepEqual(env, {});
});

test('resolveEnvironment() digests values, and hides those of Secrets behind their uid', () => {
  const spec: EnvironmentSpec = { envFrom: [{ secretRef: { name: 's' } }] };
  const changed: Secret = { ...secret, data: { ...secret.data, TOKEN: 'eA==' } };
  const another: Secret = { ...secret, metadata: { ...secret.metadata, uid: 'u9' } };
  const before = digestOf(spec);
  assert.equal(digestOf(spec), before);
  assert.notEqual(digestOf(spec, { ...lookup, secret: () => changed }), before);
  assert.notEqual(digestOf(spec, { ...lookup, secret: () => another }), before);
});
