import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionObject } from '@fnlet/api';
import type { Condition } from '@fnlet/machinery';
import { decideRollback, decideRollout } from './rollout.ts';

function functionWith(generation: number, conditions: readonly Condition[]): FunctionObject {
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'default', generation },
    spec: {
      runtime: 'nodejs24',
      handler: 'default',
      source: { inline: 'x' },
      timeout: '30s',
      allowInstallScripts: false,
      scale: { min: 0, max: 100, target: 50, limit: 0, idleAfter: '60s' },
    },
    status: { url: 'http://gateway/default/hello', conditions },
  };
}

const about = (
  type: string,
  status: Condition['status'],
  observedGeneration: number,
): Condition => ({
  type,
  status,
  observedGeneration,
  reason: 'Because',
  message: '',
});

test('decideRollout() warns of a runtime that is retired, and of no other', () => {
  const ready = functionWith(2, [about('Ready', 'True', 2)]);
  const warningOf = (asked: string, runtime: string): string | undefined => {
    const spec = { ...ready.spec, runtime: asked };
    const rollout = decideRollout({ ...ready, spec, status: { ...ready.status, runtime } });
    return rollout.kind === 'ready' ? rollout.warning : 'not ready';
  };
  const retired = 'Runtime nodejs8 is retired: the code runs on nodejs24';
  assert.equal(warningOf('nodejs8', 'nodejs24'), retired);
  assert.equal(warningOf('python312', 'python3.12'), undefined);
  assert.equal(warningOf('nodejs24', 'nodejs24'), undefined);
  assert.equal(warningOf('ruby2.5', 'ruby'), undefined);
});

test('decideRollout() is ready when the newest generation is', () => {
  const rollout = decideRollout(functionWith(2, [about('Ready', 'True', 2)]));
  assert.deepEqual(rollout, { kind: 'ready', url: 'http://gateway/default/hello' });
});

test('decideRollout() warns where calls are pinned to older code', () => {
  const ready = functionWith(2, [about('Ready', 'True', 2)]);
  const warningOf = (traffic: FunctionObject['spec']['traffic'] & object): string | undefined => {
    const status = { ...ready.status, revision: 'hello-1' };
    const rollout = decideRollout({ ...ready, spec: { ...ready.spec, traffic }, status });
    return rollout.kind === 'ready' ? rollout.warning : 'not ready';
  };
  const latest = { latest: true, percent: 0, tag: 'next' };
  const pinned = warningOf([{ revision: 'hello-1', percent: 100 }, latest]);
  assert.match(pinned ?? '', /^Calls go to hello-1, .* fnlet rollback hello --latest/);
  const some = [
    { revision: 'hello-1', percent: 90 },
    { ...latest, percent: 10 },
  ];
  assert.equal(warningOf(some), undefined);
});

test('decideRollout() does not take what is said about an older generation', () => {
  assert.equal(decideRollout(functionWith(2, [about('Ready', 'True', 1)])).kind, 'progressing');
  assert.equal(decideRollout(functionWith(2, [about('Ready', 'False', 1)])).kind, 'progressing');
});

test('decideRollout() fails with reason and message', () => {
  const failed = { ...about('Ready', 'False', 1), reason: 'LoadFailed', message: 'handler.ts:3' };
  assert.deepEqual(decideRollout(functionWith(1, [failed])), {
    kind: 'failed',
    reason: 'LoadFailed',
    message: 'handler.ts:3',
  });
});

test('decideRollout() names the first step that is not done', () => {
  const installing = { ...about('DependenciesReady', 'Unknown', 1), message: 'lodash' };
  const conditions = [about('Ready', 'Unknown', 1), about('SourceReady', 'True', 1), installing];
  assert.deepEqual(decideRollout(functionWith(1, conditions)), {
    kind: 'progressing',
    step: 'installing dependencies: lodash',
  });
});

test('decideRollback() asks where calls go, and not how the newest code does', () => {
  const failed = { ...about('Ready', 'False', 1), reason: 'LoadFailed', message: 'handler.ts:3' };
  const at = (
    routes: Condition['status'],
    revision: string,
    percent: number,
    reason: string = failed.reason,
  ) => {
    const object = functionWith(1, [{ ...failed, reason }, about('RoutesReady', routes, 1)]);
    const status = { ...object.status, traffic: [{ revision, percent }] };
    return decideRollback({ ...object, status }, 'hello-1');
  };
  assert.deepEqual(at('True', 'hello-1', 100), {
    kind: 'ready',
    url: 'http://gateway/default/hello',
    warning: 'The newest code is not ready: LoadFailed: handler.ts:3',
  });
  // Calls have not come there yet.
  assert.equal(at('True', 'hello-2', 100).kind, 'progressing');
  assert.equal(at('True', 'hello-1', 0).kind, 'progressing');
  // They do not come there.
  assert.equal(at('False', 'hello-1', 100).kind, 'failed');
  assert.equal(at('True', 'hello-2', 100, 'InstancesMissing').kind, 'failed');
  assert.equal(at('True', 'hello-2', 100, 'RevisionNotFound').kind, 'failed');
});
