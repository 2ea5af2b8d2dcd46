import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mount } from '@fnlet/api';
import { planMountFiles } from './plan-mount-files.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const lookup = {
  secret: (name: string) =>
    name === 's'
      ? {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name },
          data: { user: base64('me'), key: base64('\u0000\u00ff') },
        }
      : undefined,
  configMap: (name: string) =>
    name === 'c'
      ? {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name },
          data: { 'app.ini': 'a=1' },
          binaryData: { raw: base64('raw') },
        }
      : undefined,
};

function filesOf(mount: Mount): Record<string, readonly [string, number]> | string {
  const planned = planMountFiles(mount, lookup);
  if (planned.kind === 'missing') return planned.message;
  const files = planned.files.map(({ path, content, mode }) => {
    return [path, [Buffer.from(content).toString(), mode]] as const;
  });
  return Object.fromEntries(files);
}

test('planMountFiles() gives every key as a file of its name', () => {
  assert.deepEqual(filesOf({ secret: 's', path: '/s' }), {
    user: ['me', 0o644],
    key: ['\u0000\u00ff', 0o644],
  });
  assert.deepEqual(filesOf({ configMap: 'c', path: '/c', defaultMode: 0o400 }), {
    raw: ['raw', 0o400],
    'app.ini': ['a=1', 0o400],
  });
});

test('planMountFiles() gives the keys that are asked for', () => {
  const items = [{ key: 'user', path: 'deep/name', mode: 0 }];
  assert.deepEqual(filesOf({ secret: 's', path: '/s', items }), { 'deep/name': ['me', 0] });
});

test('planMountFiles() tells what is missing, unless it is optional', () => {
  const items = [{ key: 'none', path: 'none' }];
  const hint = 'create it, or mark it optional';
  const missing: readonly [Mount, string][] = [
    [{ secret: 'x', path: '/s' }, `mount at "/s": Secret "x" does not exist: ${hint}`],
    [{ configMap: 's', path: '/s' }, `mount at "/s": ConfigMap "s" does not exist: ${hint}`],
    [{ secret: 's', path: '/s', items }, `mount at "/s": Secret "s" has no key "none": ${hint}`],
  ];
  for (const [mount, message] of missing) {
    assert.equal(filesOf(mount), message);
    assert.deepEqual(filesOf({ ...mount, optional: true }), {});
  }
});
