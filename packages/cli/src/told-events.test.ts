import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToldEvents } from './told-events.ts';

function line(seconds: number, id: string, outcome = 'accepted') {
  return { time: `2026-03-01T10:00:0${seconds}.000Z`, outcome, event: { id } };
}

test('ToldEvents goes on at the last moment, without what was told of it', () => {
  const told = new ToldEvents();
  assert.equal(told.sinceMs, undefined);
  for (const one of [line(1, 'a'), line(2, 'b'), line(2, 'c')]) assert.ok(told.take(one));
  assert.equal(told.sinceMs, Date.parse('2026-03-01T10:00:02Z'));
  assert.ok(!told.take(line(2, 'b')), 'told before');
  assert.ok(told.take(line(2, 'b', 'delivered')), 'something else that happened to it');
  assert.ok(told.take(line(2, 'd')));
  assert.ok(told.take(line(3, 'b')));
  assert.ok(told.take(line(1, 'late')), 'what comes late is told, and changes nothing');
  assert.equal(told.sinceMs, Date.parse('2026-03-01T10:00:03Z'));
  assert.ok(told.take({ missed: 4 }));
  assert.ok(told.take({ missed: 4 }));
});
