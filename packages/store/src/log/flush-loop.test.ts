import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasCode } from '@fnlet/base';
import { type Flush, FlushLoop } from './flush-loop.ts';
import { LogError } from './log-error.ts';

/** A disk that keeps numbers, and flushes when it is told to. */
class Disk implements Flush<number[]> {
  readonly kept: number[][] = [];
  readonly flushes: ((outcome?: Error | 'again') => void)[] = [];

  ready(): undefined {
    return undefined;
  }

  stage(): number[] {
    return [];
  }

  commit(): Promise<'again' | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<'again' | undefined>();
    this.flushes.push((outcome) => {
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    });
    return promise;
  }

  publish(staging: number[]): void {
    this.kept.push(staging);
  }

  /** Ends the flush that is under way. */
  async flush(outcome?: Error | 'again'): Promise<void> {
    await settled();
    this.flushes.shift()?.(outcome);
    await settled();
  }
}

const settled = (): Promise<void> => new Promise(setImmediate);

function keep(loop: FlushLoop<number[]>, number: number): Promise<string> {
  const apply = (staging: number[]): string => {
    if (number < 0) throw new LogError('Conflict', 'Cannot keep it');
    staging.push(number);
    return `${number} is number ${staging.length}`;
  };
  return loop.run({ apply, rows: 1, bytes: 10 });
}

function open(bounds = { rowsMax: 3, bytesMax: 1_000 }): { disk: Disk; loop: FlushLoop<number[]> } {
  const disk = new Disk();
  return { disk, loop: new FlushLoop(disk, bounds) };
}

describe('FlushLoop', () => {
  it('gathers what comes during a flush for the next, in its order, up to a bound', async () => {
    const { disk, loop } = open();
    const first = keep(loop, 1);
    await settled();
    const rest = [2, 3, 4, 5].map((number) => keep(loop, number));
    for (let flush = 0; flush < 3; flush++) await disk.flush();
    assert.deepEqual(disk.kept, [[1], [2, 3, 4], [5]]);
    assert.equal(await first, '1 is number 1');
    assert.equal((await Promise.all(rest)).at(-1), '5 is number 1');
  });

  it('refuses a change that cannot be, and no other', async () => {
    const { disk, loop } = open();
    const results = Promise.allSettled([1, -2, 3].map((number) => keep(loop, number)));
    await disk.flush();
    assert.deepEqual(
      (await results).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(disk.kept, [[1, 3]]);
  });

  it('stages changes again when what they were staged upon is no longer so', async () => {
    const { disk, loop } = open();
    const kept = Promise.all([keep(loop, 1), keep(loop, 2)]);
    await disk.flush('again');
    await disk.flush();
    assert.deepEqual(disk.kept, [[1, 2]]);
    assert.deepEqual(await kept, ['1 is number 1', '2 is number 2']);
  });

  it('goes on after a full disk, and believes nothing after a broken one', async () => {
    const { disk, loop } = open();
    const full = assert.rejects(keep(loop, 1), { code: 'Full' });
    await disk.flush(new LogError('Full', 'Cannot write'));
    await full;
    const kept = keep(loop, 2);
    await disk.flush();
    await kept;
    const broken = [keep(loop, 3), keep(loop, 4)].map((one) =>
      assert.rejects(one, (error) => hasCode(error, 'Broken')),
    );
    await disk.flush(new Error('EIO'));
    await Promise.all(broken);
    await assert.rejects(keep(loop, 5), { code: 'Broken' });
    assert.deepEqual(disk.kept, [[2]]);
  });

  it('refuses what comes when too much waits, and when it is closed', async () => {
    const { disk, loop } = open();
    const first = keep(loop, 1);
    const bytes = 67_108_864;
    const large = { apply: () => undefined, rows: 1, bytes };
    await assert.rejects(loop.run(large), { code: 'Full', retry: 'later' });
    const closed = loop.close(new LogError('Closed', 'Cannot use it'));
    await assert.rejects(keep(loop, 2), { code: 'Closed' });
    await disk.flush();
    await first;
    await closed;
  });
});
