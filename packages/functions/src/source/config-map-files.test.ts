import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigMap } from '../core-kinds.ts';
import { resolveConfigMap } from './config-map-files.ts';

function configMap(data: Record<string, string>, binary: Record<string, Buffer> = {}): ConfigMap {
  const binaryData = Object.fromEntries(
    Object.entries(binary).map(([key, bytes]) => [key, bytes.toString('base64')]),
  );
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'code' }, data, binaryData };
}

test('resolveConfigMap() makes every key a file', () => {
  const found = configMap({ 'handler.js': 'a' }, { 'text.txt': Buffer.from('ü') });
  assert.deepEqual(resolveConfigMap({ name: 'code' }, found), {
    kind: 'resolved',
    source: { files: { 'handler.js': 'a', 'text.txt': 'ü' } },
  });
});

test('resolveConfigMap() puts the chosen keys where they are asked for', () => {
  const items = [{ key: 'handler', path: 'src/handler.js' }];
  const found = resolveConfigMap({ name: 'code', items }, configMap({ handler: 'a', other: 'b' }));
  assert.deepEqual(found, {
    kind: 'resolved',
    source: { files: { 'src/handler.js': 'a' } },
  });
});

const unresolved: readonly [string, ConfigMap | undefined, string, RegExp][] = [
  ['that does not exist', undefined, 'SourceNotFound', /ConfigMap "code" does not exist/],
  ['without keys', configMap({}), 'SourceNotFound', /has no keys/],
  ['with bytes', configMap({}, { a: Buffer.from([0xff]) }), 'SourceInvalid', /binary data/],
];

for (const [title, found, reason, message] of unresolved) {
  test(`resolveConfigMap() says what is wrong with a ConfigMap ${title}`, () => {
    const resolved = resolveConfigMap({ name: 'code' }, found);
    assert.ok(resolved.kind === 'unresolved');
    assert.equal(resolved.reason, reason);
    assert.match(resolved.message, message);
  });
}

test('resolveConfigMap() names the key that is missing', () => {
  const items = [{ key: 'main', path: 'main.js' }];
  const resolved = resolveConfigMap({ name: 'code', items }, configMap({ other: '' }));
  assert.match(JSON.stringify(resolved), /has no key \\"main\\"/);
});
