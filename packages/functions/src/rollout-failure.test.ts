import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffDelayMs } from '@fnlet/base';
import type { Instance, InstanceExit } from '@fnlet/executor';
import { sampleRunnable } from '../test/samples.ts';
import { findTrouble } from './find-trouble.ts';
import { instanceFailure, loadingFailure } from './rollout-failure.ts';

function coded(code: string, place: object = {}): Error {
  return Object.assign(new Error('it is broken'), { code, ...place });
}

const loading: readonly [Error, string, string, boolean][] = [
  [coded('SyntaxError', { file: 'a.ts', line: 3 }), 'source', 'LoadFailed', false],
  [coded('InvalidFileName', { file: '../a' }), 'source', 'SourceInvalid', false],
  [coded('BrokenManifest', { line: 2 }), 'dependencies', 'ManifestInvalid', false],
  [coded('DependencyNotFound'), 'dependencies', 'DependencyNotFound', true],
  [coded('RegistryUnreachable'), 'dependencies', 'RegistryUnreachable', true],
  [coded('RegistryDenied'), 'dependencies', 'RegistryDenied', true],
  [coded('InstallFailed'), 'dependencies', 'InstallFailed', true],
  [coded('EnvironmentNotFound'), 'source', 'EnvironmentNotFound', true],
  [new TypeError('a bug'), 'source', 'InternalError', true],
];

for (const [error, step, reason, isRetried] of loading) {
  test(`loadingFailure() of ${'code' in error ? error.code : error.name} is ${reason}`, () => {
    const failure = loadingFailure(error);
    assert.deepEqual([failure.step, failure.reason], [step, reason]);
    assert.equal(failure.backoff !== undefined, isRetried);
  });
}

test('dependencies are tried again after seconds at first, after an hour in the end', () => {
  for (const code of ['DependencyNotFound', 'InstallFailed', 'RegistryUnreachable']) {
    const { backoff } = loadingFailure(coded(code));
    assert.ok(backoff !== undefined && backoff.baseMs <= 5_000, code);
    assert.ok(backoff.capMs >= 300_000 && backoff.capMs <= 3_600_000, code);
  }
});

test('messages begin with the place where it is known', () => {
  const at = (place: object): string => loadingFailure(coded('SyntaxError', place)).message;
  assert.equal(at({ file: 'a.ts', line: 3 }), 'a.ts:3: it is broken');
  assert.equal(at({ file: 'a.ts' }), 'a.ts: it is broken');
  assert.equal(at({}), 'it is broken');
  const named = Object.assign(new Error('Cannot read a.ts:3:9: it is broken'), {
    ...{ code: 'SyntaxError', file: 'a.ts', line: 3 },
  });
  assert.equal(loadingFailure(named).message, 'Cannot read a.ts:3:9: it is broken');
});

function instance(phase: Instance['phase'], exit?: Partial<InstanceExit>): Instance {
  return {
    id: 'hello-x-y',
    revision: sampleRunnable('hello-x'),
    phase,
    address: undefined,
    pid: undefined,
    createdAtMs: 0,
    readyAtMs: undefined,
    restarts: 0,
    lastExit: exit && { code: 1, signal: null, startedAtMs: 0, finishedAtMs: 1, ...exit },
  };
}

test('instanceFailure() says where code does not load, and tries again only what may change', () => {
  const failure = { code: 'MissingExport', message: 'no export "main"', file: 'a.ts' } as const;
  const frozen = instanceFailure(instance('backingOff', { failure }));
  assert.equal(frozen.reason, 'LoadFailed');
  assert.equal(frozen.message, 'a.ts: no export "main"');
  assert.equal(frozen.backoff, undefined);
  const thrown = { ...failure, code: 'LoadError', line: 7 } as const;
  const retried = instanceFailure(instance('backingOff', { failure: thrown }));
  assert.equal(retried.message, 'a.ts:7: no export "main"');
  assert.ok(retried.backoff);
});

test('instanceFailure() of code that loads for ever is tried again ever more rarely', () => {
  const failure = { code: 'LoadTimeout', message: 'Cannot load "a.ts": …', file: 'a.ts' } as const;
  const { reason, message, backoff } = instanceFailure(instance('backingOff', { failure }));
  assert.deepEqual([reason, message], ['LoadFailed', 'Cannot load "a.ts": …']);
  const delays = [1, 2, 3, 20].map((n) => backoff && backoffDelayMs(n, backoff));
  assert.deepEqual(delays, [60_000, 120_000, 240_000, 3_600_000]);
});

test('instanceFailure() says how a process ended', () => {
  assert.match(instanceFailure(instance('backingOff', { code: 3 })).message, /code 3/);
  const killed = instance('backingOff', { code: null, signal: 'SIGKILL' });
  assert.match(instanceFailure(killed).message, /SIGKILL/);
});

test('instanceFailure() has the last lines of a process that ended by itself', () => {
  const said = 'connecting\nno such host';
  const crashed = instanceFailure(instance('backingOff', { code: 3, said }));
  assert.equal(crashed.message, `The process ended with code 3. It said last:\n${said}`);
  const killed = instance('backingOff', { signal: 'SIGKILL', outOfMemory: true, said });
  assert.match(
    instanceFailure(killed).message,
    /hold less at once[.] It said last:\nconnecting\nno/,
  );
});

test('findTrouble() is about all Instances, and not about those that are only starting', () => {
  const failed = instance('backingOff', {});
  assert.equal(findTrouble([]), undefined);
  assert.equal(findTrouble([instance('starting')]), undefined);
  assert.equal(findTrouble([failed, instance('ready')]), undefined);
  assert.equal(findTrouble([failed])?.reason, 'InstanceCrashed');
});

test('instanceFailure() says that an Instance was killed for its use of memory, and what to do', () => {
  const killed = instance('backingOff', { signal: 'SIGKILL', outOfMemory: true });
  const resources = { limits: { memory: '64Mi' } };
  const { reason, message, backoff } = instanceFailure({
    ...killed,
    revision: { ...killed.revision, resources },
  });
  assert.equal(reason, 'OOMKilled');
  assert.match(
    message,
    /more memory than its limit of 64Mi. Raise spec\.resources\.limits\.memory/,
  );
  assert.ok(backoff);
});
