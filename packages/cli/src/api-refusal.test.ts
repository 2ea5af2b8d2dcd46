import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideRefusal } from './api-refusal.ts';
import { exitCodes } from './exit-codes.ts';

const path = '/apis/events.fnlet.dev/v1alpha1/namespaces/default/deadletters';
const question = { path, remedy: 'Which there are: fnlet events dead ls' };

test('decideRefusal() tells a cluster without Fnlet from a record that is not there', () => {
  const unserved = [
    'The server answered with HTTP status 404: 404 page not found',
    'the server could not find the requested resource',
  ];
  for (const message of unserved) {
    const error = decideRefusal({ code: 404, message }, question);
    assert.equal(error.exitCode, exitCodes.unreachable);
    assert.match(error.message, /events\.fnlet\.dev/);
    assert.match(error.remedy ?? '', /context/);
  }
  const missing = decideRefusal({ code: 404, message: 'Cannot find dead letter "a.1"' }, question);
  assert.equal(missing.exitCode, exitCodes.notFound);
  assert.equal(missing.remedy, question.remedy);
});

test('decideRefusal() says once which status was answered', () => {
  const message = 'The server answered with HTTP status 503: service unavailable';
  const error = decideRefusal({ code: 503, message }, question);
  assert.equal(error.message, 'The API answers 503: service unavailable');
});

test('decideRefusal() says what to do where rights, credentials or the controller are missing', () => {
  const cases = [
    [401, exitCodes.unreachable, /credentials/],
    [403, exitCodes.failed, /role "view" or "edit"/],
    [503, exitCodes.unreachable, /fnlet status/],
    [409, exitCodes.failed, /dead ls/],
  ] as const;
  for (const [code, exitCode, remedy] of cases) {
    const error = decideRefusal({ code, message: 'said so' }, question);
    assert.equal(error.exitCode, exitCode);
    assert.match(error.message, new RegExp(`${code}: said so`));
    assert.match(error.remedy ?? '', remedy);
  }
});
