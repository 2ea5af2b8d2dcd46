import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadMeter } from './load-meter.ts';
import { VirtualClock } from './virtual-clock.ts';

const [busyPerSecond, quietSeconds] = [20, 10];

function meter() {
  const clock = new VirtualClock();
  const told: boolean[] = [];
  const onChange = (isBusy: boolean): void => void told.push(isBusy);
  const load = new LoadMeter({ clock, busyPerSecond, quietSeconds, onChange });
  const second = async (events: number): Promise<void> => {
    for (let n = 0; n < events; n++) load.note();
    await clock.advance(1_000);
  };
  return { clock, load, told, second };
}

test('LoadMeter is busy after a second with many events, and until it was quiet for a while', async () => {
  const { told, second, clock } = meter();
  await second(busyPerSecond - 1);
  assert.deepEqual(told, []);
  await second(busyPerSecond);
  assert.deepEqual(told, [true]);
  for (let n = 1; n < quietSeconds; n++) await second(1);
  await second(busyPerSecond);
  for (let n = 1; n < quietSeconds; n++) await second(0);
  assert.deepEqual(told, [true]);
  await second(0);
  assert.deepEqual(told, [true, false]);
  assert.equal(clock.timers, 0, 'nothing waits for anything');
});

test('LoadMeter is busy with the event that makes them many, not when the second is over', async () => {
  const { load, told, second } = meter();
  for (let n = 1; n < busyPerSecond; n++) load.note();
  assert.deepEqual(told, []);
  load.note();
  assert.deepEqual(told, [true]);
  load.note(busyPerSecond);
  assert.deepEqual(told, [true]);
  for (let n = 0; n < quietSeconds; n++) await second(1);
  assert.deepEqual(told, [true]);
  await second(1);
  assert.deepEqual(told, [true, false]);
});

test('LoadMeter counts what comes at once one by one', async () => {
  const clock = new VirtualClock();
  const told: boolean[] = [];
  const onChange = (isBusy: boolean): void => void told.push(isBusy);
  const load = new LoadMeter({ clock, busyPerSecond, quietSeconds, onChange });
  load.note(busyPerSecond - 1);
  await clock.advance(1_000);
  assert.deepEqual(told, []);
  load.note(busyPerSecond);
  await clock.advance(1_000);
  assert.deepEqual(told, [true]);
});

test('LoadMeter has no timer after a few events', async () => {
  const { told, second, clock } = meter();
  assert.equal(clock.timers, 0);
  await second(3);
  await second(0);
  assert.deepEqual(told, []);
  assert.equal(clock.timers, 0);
});
