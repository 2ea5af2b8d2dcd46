import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { Callers } from './callers.ts';

const quietMs = 10;
const waitMsMax = 100;

test('A start goes on at once where nobody asks', async () => {
  const clock = new VirtualClock();
  const callers = new Callers({ clock, quietMs, waitMsMax });
  await callers.giveWay();
  assert.equal(clock.monotonicMs(), new VirtualClock().monotonicMs());
});

test('A start waits until who asked has been quiet', async () => {
  const clock = new VirtualClock();
  const callers = new Callers({ clock, quietMs, waitMsMax });
  callers.seen();
  let gaveWay = false;
  const giving = callers.giveWay().then(() => {
    gaveWay = true;
  });
  await clock.advance(6);
  callers.seen();
  await clock.advance(6);
  assert.equal(gaveWay, false);
  await clock.advance(4);
  await giving;
});

test('A start waits no longer, in all, than it may', async () => {
  const clock = new VirtualClock();
  const callers = new Callers({ clock, quietMs, waitMsMax });
  let gaveWay = 0;
  const steps = (async () => {
    for (; gaveWay < 3; gaveWay++) await callers.giveWay();
  })();
  for (let ms = 0; ms < waitMsMax; ms++) {
    callers.seen();
    await clock.advance(1);
  }
  callers.seen();
  await steps;
  assert.equal(gaveWay, 3);
});
