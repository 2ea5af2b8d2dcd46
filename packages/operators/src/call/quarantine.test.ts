import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FnletError, VirtualClock } from '@fnlet/base';
import { Quarantine } from './quarantine.ts';

const a = { who: 'a', state: '1' };
const b = { who: 'b', state: '1' };

/** 0: it was let pass; otherwise when to come again. */
function waitOf(act: () => unknown): number {
  try {
    act();
    return 0;
  } catch (error) {
    assert.ok(error instanceof FnletError && typeof error.retry === 'object', String(error));
    return error.retry.afterMs;
  }
}

test('who loses an Instance alone waits, longer each time, until it changes', async () => {
  const clock = new VirtualClock();
  const quarantine = new Quarantine(clock);
  const waits: number[] = [];
  for (let time = 0; time < 8; time++) {
    assert.equal(
      waitOf(() => quarantine.lost(quarantine.begin(a))),
      0,
    );
    waits.push(waitOf(() => quarantine.begin(a)));
    await clock.advance(waits.at(-1) ?? 0);
  }
  assert.deepEqual(waits.slice(0, 3), [10_000, 20_000, 40_000]);
  assert.equal(waits.at(-1), 300_000);
  quarantine.lost(quarantine.begin(a));
  assert.equal(
    waitOf(() => quarantine.begin({ ...a, state: '2' })),
    0,
  );
});

test('of several calls none is blamed; they go one by one until it is found out', async () => {
  const clock = new VirtualClock();
  const quarantine = new Quarantine(clock);
  const [first, second] = [quarantine.begin(a), quarantine.begin(b)];
  assert.equal(
    waitOf(() => quarantine.lost(first)),
    200,
  );
  assert.equal(
    waitOf(() => quarantine.lost(second)),
    200,
  );
  const alone = quarantine.begin(a);
  assert.equal(
    waitOf(() => quarantine.begin(b)),
    200,
  );
  assert.equal(
    waitOf(() => quarantine.lost(alone)),
    0,
  );
  const other = quarantine.begin(b);
  quarantine.answered(other);
  assert.equal(
    waitOf(() => quarantine.begin(a)),
    10_000,
  );
  await clock.advance(30_000);
  const both = [quarantine.begin(a), quarantine.begin(b)];
  for (const call of both) quarantine.answered(call);
});

test('a call that was under way when another one began is shared, also after its end', () => {
  const quarantine = new Quarantine(new VirtualClock());
  const first = quarantine.begin(a);
  quarantine.ended(quarantine.begin(b));
  assert.equal(
    waitOf(() => quarantine.lost(first)),
    200,
  );
});

test('an answer clears whom it is about', async () => {
  const clock = new VirtualClock();
  const quarantine = new Quarantine(clock);
  quarantine.lost(quarantine.begin(a));
  await clock.advance(10_000);
  quarantine.answered(quarantine.begin(a));
  quarantine.lost(quarantine.begin(a));
  assert.equal(
    waitOf(() => quarantine.begin(a)),
    10_000,
  );
});
