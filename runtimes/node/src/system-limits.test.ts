import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Compatibility } from '@fnlet/invocation';
import { systemLimits } from './system-limits.ts';

const limits = { timeoutMs: 30_000, bodyBytesMax: 5_000_000, drainMs: 1000 };

function limitsOf(
  compatibility: Compatibility | undefined,
  env: Readonly<Record<string, string>>,
): readonly number[] {
  const names = {
    namespace: 'a',
    function: 'b',
    revision: 'c',
    instance: 'd',
    runtime: 'nodejs24',
  };
  const given = { ...names, sourceDirectory: '/', handler: 'main', env, limits };
  const found = systemLimits(compatibility === undefined ? given : { ...given, compatibility });
  return [found.timeoutMs, found.bodyBytesMax, found.drainMs];
}

test("systemLimits() of Fnlet's own function are those of its Revision", () => {
  const env = { FUNC_TIMEOUT: '2', REQ_MB_LIMIT: '3' };
  assert.deepEqual(limitsOf(undefined, env), [30_000, 5_000_000, 1000]);
});

for (const [name, env, expected] of [
  ['nothing', {}, [30_000, 1_048_576, 1000]],
  ['both variables', { FUNC_TIMEOUT: '2', REQ_MB_LIMIT: '3' }, [2000, 3_145_728, 1000]],
  ['the newer name', { FUNC_BODY_MB_LIMIT: '0.5', REQ_MB_LIMIT: '3' }, [30_000, 524_288, 1000]],
  ['nonsense', { FUNC_TIMEOUT: 'soon', REQ_MB_LIMIT: '-1' }, [30_000, 1_048_576, 1000]],
] as const) {
  test(`systemLimits() of a function of Kyma or Kubeless that sets ${name}`, () => {
    assert.deepEqual(limitsOf('kyma', env), expected);
    assert.deepEqual(limitsOf('kubeless', env), expected);
  });
}
