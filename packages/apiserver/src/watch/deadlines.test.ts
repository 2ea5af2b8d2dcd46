import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import fc from 'fast-check';
import { Deadlines } from './deadlines.ts';

function openDeadlines() {
  const clock = new VirtualClock(0);
  const deadlines = new Deadlines(clock);
  const called: string[] = [];
  const waiter = (name: string) => ({ due: () => void called.push(`${name} ${clock.now()}`) });
  return { clock, deadlines, called, waiter };
}

describe('Deadlines', () => {
  it('calls each at its time, on one timer', async () => {
    const { clock, deadlines, called, waiter } = openDeadlines();
    for (const atMs of [30, 10, 20, 10]) deadlines.add(atMs, waiter(String(atMs)));
    assert.equal(clock.timers, 1);
    await clock.advance(25);
    assert.deepEqual(called, ['10 10', '10 10', '20 20']);
    assert.equal(clock.timers, 1);
    await clock.advance(10);
    assert.deepEqual(called.slice(3), ['30 30']);
    assert.equal(clock.timers, 0);
  });

  it('keeps no timer for those that were deleted', async () => {
    const { clock, deadlines, called, waiter } = openDeadlines();
    const [a, b] = [waiter('a'), waiter('b')];
    deadlines.add(10, a);
    deadlines.add(10, b);
    deadlines.delete(10, a);
    deadlines.delete(10, a);
    await clock.advance(10);
    assert.deepEqual(called, ['b 10']);
    deadlines.add(20, a);
    deadlines.delete(20, a);
    assert.equal(clock.timers, 0);
  });

  it('takes one that is past, and one that asks again when it is due', async () => {
    const { clock, deadlines, called, waiter } = openDeadlines();
    await clock.advance(5);
    deadlines.add(1, waiter('late'));
    let left = 2;
    const again = {
      due: () => {
        called.push(`again ${clock.now()}`);
        if (left-- > 0) deadlines.add(clock.now() + 10, again);
      },
    };
    deadlines.add(10, again);
    await clock.advance(100);
    assert.deepEqual(called, ['late 5', 'again 10', 'again 20', 'again 30']);
    assert.equal(clock.timers, 0);
  });

  it('calls exactly those that nobody deleted, in order, whatever happens', async () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'delete', 'advance'),
      ms: fc.integer({ min: 0, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { clock, deadlines } = openDeadlines();
        const waiting: { atMs: number; due: () => void }[] = [];
        const called: number[] = [];
        for (const { kind, ms } of steps) {
          const atMs = clock.now() + ms;
          if (kind === 'advance') await clock.advance(ms);
          else if (kind === 'add') {
            const entry = {
              atMs,
              due: (): void => {
                called.push(atMs);
                waiting.splice(waiting.indexOf(entry), 1);
              },
            };
            waiting.push(entry);
            deadlines.add(atMs, entry);
          } else {
            const [deleted] = waiting.splice(ms, 1);
            if (deleted !== undefined) deadlines.delete(deleted.atMs, deleted);
          }
          const overdue = waiting.filter((entry) => entry.atMs < clock.now());
          assert.deepEqual(overdue, []);
          assert.equal(clock.timers > 0, waiting.length > 0);
        }
        await clock.advance(100);
        assert.deepEqual(waiting, []);
        assert.deepEqual(
          called,
          called.toSorted((a, b) => a - b),
        );
      }),
      { numRuns: 100 },
    );
  });
});
