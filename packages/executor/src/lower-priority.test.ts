import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { limits } from './limits.ts';
import { lowerSession } from './lower-priority.ts';

/** How often it is tried, where the kernel answers so. */
async function countTries(answerTo: (tries: number) => string | undefined): Promise<number> {
  const clock = new VirtualClock();
  let tries = 0;
  const write = (): void => {
    const code = answerTo(++tries);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
  lowerSession(write, clock);
  for (let i = 0; i < limits.autogroupRetriesMax + 5; i++) {
    await clock.advance(limits.autogroupRetryMs);
  }
  return tries;
}

test('lowerSession() tries again while the kernel is asked too often, and not for ever', async () => {
  assert.equal(await countTries((tries) => (tries < 4 ? 'EAGAIN' : undefined)), 4);
  assert.equal(await countTries(() => 'EAGAIN'), 1 + limits.autogroupRetriesMax);
});

test('lowerSession() leaves it at one try where nothing can be lowered', async () => {
  assert.equal(await countTries(() => undefined), 1);
  assert.equal(await countTries(() => 'ENOENT'), 1);
});
