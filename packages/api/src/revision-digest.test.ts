import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionSpec } from './function.ts';
import { revisionDigest, revisionTemplate } from './revision-digest.ts';

const spec: FunctionSpec = {
  runtime: 'nodejs24',
  handler: 'default',
  source: { inline: 'export default () => "hi";' },
  allowInstallScripts: false,
  timeout: '30s',
  scale: { min: 0, max: 100, target: 50, limit: 0, idleAfter: '60s' },
};

function digestOf(change: Partial<FunctionSpec>, environment = 'e'): string {
  return revisionDigest(revisionTemplate({ ...spec, ...change }), environment);
}

test('revisionDigest() does not depend on the order of keys', () => {
  const { runtime, ...others } = spec;
  assert.equal(digestOf({}), revisionDigest(revisionTemplate({ ...others, runtime }), 'e'));
});

test('revisionDigest() stays when only scaling or affinity changes', () => {
  assert.equal(digestOf({ scale: { ...spec.scale, min: 3 } }), digestOf({}));
  assert.equal(digestOf({ affinity: { cookie: 'sid' } }), digestOf({}));
});

test('revisionDigest() stays when only others may call', () => {
  assert.equal(digestOf({ visibility: 'internal' }), digestOf({}));
});

test('revisionDigest() stays when only calls go elsewhere', () => {
  const mirror = { revision: 'hello-1', percent: 5, nonIdempotent: false };
  const traffic = [{ revision: 'hello-1', percent: 100 }];
  const change = { traffic, mirror, session: { maxAge: '1h' }, rollout: { deadline: '1m' } };
  assert.equal(digestOf(change), digestOf({}));
});

const changes: readonly Partial<FunctionSpec>[] = [
  { handler: 'other' },
  { source: { inline: 'export default () => "ho";' } },
  { source: { files: { 'handler.ts': 'export default () => "hi";' } } },
  { dependencies: '{}' },
  { allowInstallScripts: true },
  { env: [{ name: 'A', value: 'b' }] },
  { envFrom: [{ secretRef: { name: 's' } }] },
  { timeout: '31s' },
  { labels: { team: 'a' } },
  { annotations: { note: 'a' } },
];

for (const change of changes) {
  test(`revisionDigest() moves with ${Object.keys(change)} ${JSON.stringify(change)}`, () => {
    assert.notEqual(digestOf(change), digestOf({}));
  });
}

test('revisionDigest() moves with the values of Secrets and ConfigMaps', () => {
  assert.notEqual(digestOf({}, 'f'), digestOf({}, 'e'));
});
