import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planManifest } from './plan-manifest.ts';

test('planManifest() does not tell that somebody works on a Function here', () => {
  const spec = { runtime: 'nodejs24', source: { inline: 'export default () => 1;' } };
  const apiVersion = 'fnlet.dev/v1alpha1';
  const metadata = { name: 'hello', namespace: 'team', uid: 'u1' };
  const whole = { ...spec, development: true };
  const found = planManifest({ apiVersion, kind: 'Function', metadata, spec: whole }, undefined);
  assert.deepEqual(found, { apiVersion, kind: 'Function', metadata: { name: 'hello' }, spec });
});
