import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '@fnlet/base';
import type { Steps } from '@fnlet/machinery';
import { Turn, takeSteps } from './turn.ts';

/** Work whose steps take so long each, and what happened, in order. */
function* longWork(spend: () => void, log: string[]): Steps<string> {
  for (const step of ['first', 'second']) {
    log.push(step);
    spend();
    yield;
  }
  log.push('third');
  return 'done';
}

async function logOf(stepMs: number, isShared: boolean): Promise<readonly string[]> {
  let elapsedMs = 0;
  const clock = { ...systemClock, monotonicMs: () => elapsedMs };
  const spend = (): void => {
    elapsedMs += stepMs;
  };
  const log: string[] = [];
  setImmediate(() => log.push('somebody else'));
  const turn = isShared ? new Turn(clock) : undefined;
  assert.equal(await takeSteps(longWork(spend, log), turn), 'done');
  return log;
}

describe('takeSteps()', () => {
  it('gives others the thread after a long step', async () => {
    assert.deepEqual(await logOf(50, true), ['first', 'somebody else', 'second', 'third']);
  });

  it('goes on when all steps together are short', async () => {
    assert.deepEqual(await logOf(1, true), ['first', 'second', 'third']);
  });

  it('takes all steps at once without a turn', async () => {
    assert.deepEqual(await logOf(50, false), ['first', 'second', 'third']);
  });
});
