import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestHead } from '../../test/request-head.ts';
import { isAboutCall, isAboutCalls, prefersLater, withoutAsync } from './answered-later.ts';

const preferences: readonly [lines: string, later: boolean][] = [
  ['', false],
  ['Prefer: respond-async\r\n', true],
  ['prefer: Respond-Async\r\n', true],
  ['Prefer: respond-async, wait=100\r\n', true],
  ['Prefer: wait=100,respond-async;x=1\r\n', true],
  ['Prefer: return=minimal\r\nPrefer: respond-async\r\n', true],
  ['Prefer: respond-async=no\r\n', false],
  ['Prefer: respond-asynchronously\r\n', false],
  ['Prefer: no-respond-async\r\n', false],
  ['Prefer: handling=lenient\r\n', false],
  ['Prefer: respond-async\r\nConnection: upgrade\r\nUpgrade: websocket\r\n', false],
];

for (const [lines, later] of preferences) {
  test(`prefersLater() is ${later} for ${JSON.stringify(lines)}`, () => {
    assert.equal(prefersLater(requestHead(lines)), later);
  });
}

test('a preference reaches the function as it was sent', () => {
  assert.match(requestHead('Prefer: wait=1\r\n').fields.kept, /^Prefer: wait=1\r$/m);
});

test('withoutAsync() takes the first segment off, and only that one', () => {
  assert.equal(withoutAsync('/async/default/hello/a?b=c'), '/default/hello/a?b=c');
  assert.equal(withoutAsync('/async/async/default'), '/async/default');
  assert.equal(withoutAsync('/asynchronous/default'), undefined);
  assert.equal(withoutAsync('/async'), undefined);
});

test('isAboutCall() takes an id as calls have it, and no other name', () => {
  const id = '01a22585-dcdc-7b34-8649-ae52e550d3eb';
  const about = [id, `${id}/answer`, `${id}/retry`, `${id}?x=1`];
  const beside = ['', '1', `${id}0`, `x${id}`, `${id}/`, `${id}/a/b`, id.toUpperCase(), `${id}%2f`];
  for (const rest of about) assert.ok(isAboutCall(`/-/calls/${rest}`), rest);
  for (const rest of beside) assert.ok(!isAboutCall(`/-/calls/${rest}`), rest);
  assert.ok(!isAboutCall(`/x/-/calls/${id}`));
});

test('isAboutCalls() takes what is below /-/calls and nothing beside it', () => {
  const about = ['/-/calls', '/-/calls/1', '/-/calls?limit=1'];
  const beside = ['/-/callsign', '/-/webhooks/calls', '/default/calls', '/x/-/calls'];
  assert.deepEqual(about.filter(isAboutCalls), about);
  assert.deepEqual(beside.filter(isAboutCalls), []);
});
