import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { restMsMax, wakesPerTurnMax } from '../limits.ts';
import { EventQueue, type Follower } from './event-queue.ts';
import { FanOut } from './fan-out.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('EventQueue', () => {
  it('wakes who waits in the next turn, once for all that came until then', async () => {
    const queue = new EventQueue<number>(10, new FanOut());
    const next = queue.next();
    const order: string[] = [];
    void next.then(() => order.push('event'));
    queue.push(1);
    await Promise.resolve().then(() => order.push('answer'));
    queue.push(2);
    assert.deepEqual(await next, { value: [1, 2], done: false });
    assert.deepEqual(order, ['answer', 'event']);
  });

  it('hands out at once what came while nobody waited', async () => {
    const queue = new EventQueue<number>(10, new FanOut());
    queue.push(1);
    assert.deepEqual(await queue.next(), { value: [1], done: false });
  });

  it('takes nothing when it is full, or has ended', async () => {
    const queue = new EventQueue<number>(2, new FanOut());
    assert.deepEqual(
      [1, 2, 3].map((n) => queue.push(n)),
      [true, true, false],
    );
    queue.end();
    assert.equal(queue.push(4), false);
    assert.deepEqual(await queue.next(), { value: [1, 2], done: false });
    assert.deepEqual(await queue.next(), { value: undefined, done: true });
  });

  it('ends with one last item in place of all that waits', async () => {
    const queue = new EventQueue<number>(2, new FanOut());
    queue.push(1);
    queue.end(9);
    queue.end(10);
    assert.deepEqual(await queue.next(), { value: [9], done: false });
    assert.deepEqual(await queue.next(), { value: undefined, done: true });
  });

  it('ends for who waits, even if a wake is on its way', async () => {
    const queue = new EventQueue<number>(2, new FanOut());
    const first = queue.next();
    queue.push(1);
    queue.end();
    assert.deepEqual(await first, { value: [1], done: false });
    const second = queue.next();
    await turn();
    assert.deepEqual(await second, { value: undefined, done: true });
  });
});

describe('EventQueue.follow()', () => {
  const followed = (max = 10) => {
    const queue = new EventQueue<number>(max, new FanOut());
    const taken: (readonly number[] | 'end')[] = [];
    let isReady = true;
    const follower: Follower<number> = {
      take: (items) => {
        taken.push(items);
        return isReady;
      },
      end: () => taken.push('end'),
    };
    queue.follow(follower, new FanOut());
    const hold = (): void => {
      isReady = false;
    };
    const release = (): void => {
      isReady = true;
      queue.resume();
    };
    return { queue, taken, hold, release };
  };

  it('hands over what comes in the next turn, all of it at once', async () => {
    const { queue, taken } = followed();
    queue.push(1);
    queue.push(2);
    assert.deepEqual(taken, []);
    await turn();
    queue.push(3);
    await turn();
    assert.deepEqual(taken, [[1, 2], [3]]);
  });

  it('keeps what comes for a follower that takes nothing, up to its bound', async () => {
    const { queue, taken, hold, release } = followed(2);
    hold();
    queue.push(1);
    await turn();
    assert.deepEqual(
      [2, 3, 4].map((n) => queue.push(n)),
      [true, true, false],
    );
    await turn();
    assert.deepEqual(taken, [[1]]);
    release();
    assert.deepEqual(taken, [[1], [2, 3]]);
  });

  it('ends once, after the rest, though its follower takes that late', async () => {
    const { queue, taken, hold, release } = followed();
    hold();
    queue.push(1);
    await turn();
    queue.push(2);
    queue.end();
    assert.deepEqual(taken, [[1]]);
    release();
    release();
    assert.deepEqual(taken, [[1], [2], 'end']);
  });

  it('hands over what waited before, and an end that has been', () => {
    const queue = new EventQueue<number>(10, new FanOut());
    queue.push(1);
    queue.end();
    const taken: unknown[] = [];
    const take = (items: readonly number[]): boolean => taken.push(items) > 0;
    queue.follow({ take, end: () => taken.push('end') }, new FanOut());
    assert.deepEqual(taken, [[1], 'end']);
  });
});

describe('FanOut', () => {
  it('wakes in order, so many in a turn, and those that come meanwhile after them', async () => {
    const fanOut = new FanOut();
    const woken: number[] = [];
    const add = (n: number): void => fanOut.add({ wake: () => woken.push(n) });
    for (let n = 0; n < wakesPerTurnMax + 1; n++) add(n);
    assert.equal(woken.length, 0);
    await turn();
    assert.equal(woken.length, wakesPerTurnMax);
    add(wakesPerTurnMax + 1);
    await turn();
    const all = Array.from({ length: wakesPerTurnMax + 2 }, (_, n) => n);
    assert.deepEqual(woken, all);
    add(all.length);
    await turn();
    assert.equal(woken.length, all.length + 1);
  });
});

describe('FanOut with a clock', () => {
  const opened = () => {
    const clock = new VirtualClock();
    const fanOut = new FanOut(clock);
    const woken: number[] = [];
    const add = (...numbers: readonly number[]): void => {
      for (const n of numbers) fanOut.add({ wake: () => woken.push(n) });
    };
    return { clock, woken, add };
  };
  const many = Array.from({ length: 100 }, (_, n) => n);

  it('rests after it woke many, and wakes all that came meanwhile at once', async () => {
    const { clock, woken, add } = opened();
    add(...many);
    await turn();
    assert.deepEqual(woken, many);
    add(100);
    await clock.advance(restMsMax - 1);
    add(101);
    await turn();
    assert.deepEqual(woken, many);
    await clock.advance(1);
    assert.deepEqual(woken, [...many, 100, 101]);
  });

  it('does not rest after one, nor when it was long ago', async () => {
    const { clock, woken, add } = opened();
    add(1);
    await turn();
    add(2);
    await turn();
    assert.deepEqual(woken, [1, 2]);
    add(...many);
    await turn();
    await clock.advance(restMsMax);
    add(3);
    await turn();
    assert.deepEqual(woken, [1, 2, ...many, 3]);
  });

  it('tells how many it woke, once for all of a turn', async () => {
    const told: number[] = [];
    const fanOut = new FanOut(new VirtualClock(), { note: (count = 1) => told.push(count) });
    for (const _ of [1, 2, 3]) fanOut.add({ wake() {} });
    await turn();
    assert.deepEqual(told, [3]);
  });
});
