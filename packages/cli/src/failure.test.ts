import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FnletError } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { explainFailure } from './failure.ts';

test('explainFailure() says which object is missing and how to get on', () => {
  const namespace = statusError('NotFound', 'namespaces "a" not found', {
    kind: 'namespaces',
    name: 'a',
  });
  assert.deepEqual(explainFailure(namespace), {
    exitCode: exitCodes.notFound,
    message: 'namespaces "a" not found',
    remedy: 'Create it: kubectl create namespace a; or choose one with -n',
  });
  const fn = statusError('NotFound', 'functions "a" not found', { kind: 'functions', name: 'a' });
  assert.match(explainFailure(fn).remedy ?? '', /fnlet ls/);
  const unknown = statusError('NotFound', 'the server could not find the requested resource');
  assert.match(explainFailure(unknown).remedy ?? '', /Is Fnlet installed/);
});

test('explainFailure() tells an API that cannot be used from a command that failed', () => {
  for (const code of ['Unreachable', 'Interrupted', 'Unauthorized']) {
    assert.equal(explainFailure(new FnletError(code, 'x')).exitCode, exitCodes.unreachable, code);
  }
  assert.equal(explainFailure(statusError('Forbidden', 'x')).exitCode, exitCodes.failed);
  assert.equal(explainFailure(new FnletError('InvalidConfig', 'x')).exitCode, exitCodes.usage);
  assert.equal(explainFailure('thrown text').exitCode, exitCodes.failed);
});

test('explainFailure() lets an error that knows better speak for itself', () => {
  const error = new CliError(exitCodes.timedOut, 'too slow', { remedy: 'wait' });
  assert.deepEqual(explainFailure(error), {
    exitCode: exitCodes.timedOut,
    message: 'too slow',
    remedy: 'wait',
  });
});
