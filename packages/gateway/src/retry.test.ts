import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayRetry } from './retry.ts';

const unsent = { ended: false, refused: true, unsent: true };
const lost = { ended: true, refused: false, unsent: false };

test('mayRetry() takes any method when nothing was sent', () => {
  assert.equal(mayRetry({ loss: unsent, method: 'POST', attempts: 1, attemptsMax: 3 }), true);
  assert.equal(mayRetry({ loss: unsent, method: 'POST', attempts: 2, attemptsMax: 3 }), true);
  assert.equal(mayRetry({ loss: unsent, method: 'GET', attempts: 3, attemptsMax: 3 }), false);
});

test('mayRetry() takes an idempotent method once when something was sent', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
    assert.equal(mayRetry({ loss: lost, method, attempts: 1, attemptsMax: 3 }), true, method);
    assert.equal(mayRetry({ loss: lost, method, attempts: 2, attemptsMax: 3 }), false, method);
  }
  for (const method of ['POST', 'PATCH', 'get', 'PURGE']) {
    assert.equal(mayRetry({ loss: lost, method, attempts: 1, attemptsMax: 3 }), false, method);
  }
});
