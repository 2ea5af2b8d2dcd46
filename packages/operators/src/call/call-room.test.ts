import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { callsAtOnceMax } from '../limits.ts';
import { CallRoom } from './call-room.ts';

const { signal } = new AbortController();

test('who finds no room waits for it, in order, and not for ever', async () => {
  const clock = new VirtualClock();
  const room = new CallRoom(clock);
  const held = Promise.withResolvers<void>();
  const waits = { waitMs: 5000, signal };
  const first = Array.from({ length: callsAtOnceMax }, () => room.use(() => held.promise, waits));
  const order: number[] = [];
  const others = [1, 2].map((id) => room.use(() => Promise.resolve(order.push(id)), waits));
  const late = room.use(() => Promise.resolve(), { waitMs: 1000, signal });
  const refused = assert.rejects(late, { code: 'FunctionBusy', retry: { afterMs: 2000 } });
  await clock.advance(1000);
  await refused;
  assert.deepEqual(order, []);
  held.resolve();
  await Promise.all([...first, ...others]);
  assert.deepEqual(order, [1, 2]);
});

test('who is told to end does not wait, and takes no place', async () => {
  const clock = new VirtualClock();
  const room = new CallRoom(clock);
  const held = Promise.withResolvers<void>();
  const waits = { waitMs: 5000, signal };
  const first = Array.from({ length: callsAtOnceMax }, () => room.use(() => held.promise, waits));
  const stop = new AbortController();
  const late = room.use(() => Promise.resolve(), { waitMs: 5000, signal: stop.signal });
  stop.abort();
  await assert.rejects(late, { code: 'FunctionBusy' });
  held.resolve();
  await Promise.all(first);
  await room.use(() => Promise.resolve(), waits);
});
