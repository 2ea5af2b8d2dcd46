import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { type FieldError, invalidError } from './field-error.ts';
import { failureStatus, StatusError, statusError } from './status.ts';

test('statusError() carries the code of its reason', () => {
  const error = statusError('NotFound', 'pods "a" not found', { name: 'a', kind: 'pods' });
  assert.ok(hasCode(error, 'NotFound'));
  assert.equal(error.message, 'pods "a" not found');
  assert.deepEqual(error.status, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'pods "a" not found',
    reason: 'NotFound',
    details: { name: 'a', kind: 'pods' },
    code: 404,
  });
});

test('StatusError tells when to try again', () => {
  const busy = failureStatus('TooManyRequests', 'slow down', { retryAfterSeconds: 2 });
  assert.deepEqual(new StatusError(busy).retry, { afterMs: 2000 });
  assert.equal(new StatusError(failureStatus('Gone', 'gone')).retry, 'never');
});

test('invalidError() words one and several field errors as Kubernetes does', () => {
  const required: FieldError = {
    reason: 'FieldValueRequired',
    field: 'spec.runtime',
    message: 'Required value',
  };
  const type = { group: 'fnlet.dev', kind: 'Function' };
  const one = invalidError(type, 'hello', [required]);
  assert.equal(one.message, 'Function.fnlet.dev "hello" is invalid: spec.runtime: Required value');
  assert.deepEqual(one.status.details?.causes, [required]);

  const two = invalidError({ group: '', kind: 'Pod' }, 'p', [required, required]);
  assert.equal(
    two.message,
    'Pod "p" is invalid: [spec.runtime: Required value, spec.runtime: Required value]',
  );
});
