import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScale, type FunctionScale, resolveScale } from '@fnlet/api';
import { VirtualClock } from '@fnlet/base';
import { objectKey } from '@fnlet/machinery';
import { type DemandHistory, emptyHistory, formatHistory, parseHistory } from '@fnlet/scaling';
import { sampleFunction } from '../../test/samples.ts';
import { Floors } from './floors.ts';

const { signal } = new AbortController();
const owner = sampleFunction();
const key = objectKey(owner);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Memory of one API, over restarts. */
class Book {
  text: string | undefined;
  writes = 0;

  read(): Promise<DemandHistory> {
    return Promise.resolve(parseHistory(this.text ?? '') ?? emptyHistory);
  }

  write(_: unknown, history: DemandHistory): Promise<void> {
    this.text = formatHistory(history);
    this.writes++;
    return Promise.resolve();
  }
}

class Run {
  readonly clock: VirtualClock;
  readonly notes: string[] = [];
  readonly floors: Floors;
  /** Whether a run was asked for. */
  isDue = false;

  constructor(book: Book, clock: VirtualClock = new VirtualClock()) {
    this.clock = clock;
    this.floors = new Floors({
      book,
      clock,
      schedule: () => {
        this.isDue = true;
      },
      onChange: () => this.notes.push('changed'),
      onMistake: (_, mistake) => this.notes.push(mistake),
    });
  }

  track(scale: Partial<FunctionScale>): void {
    this.floors.track(owner, resolveScale({ ...defaultScale, ...scale }));
  }

  /** Lets time pass as the queue would have it, and demand be this at every quarter. */
  async pass(durationMs: number, needAt: (atMs: number) => number = () => 0): Promise<void> {
    const endMs = this.clock.now() + durationMs;
    let dueMs = 0;
    for (; this.clock.now() < endMs; await this.clock.advance(300_000)) {
      const need = needAt(this.clock.now());
      if (need > 0) this.floors.learn(key, need);
      if (!this.isDue && this.clock.now() < dueMs) continue;
      this.isDue = false;
      const result = await this.floors.check(key, signal);
      dueMs = this.clock.now() + (result?.requeueAfterMs ?? Number.POSITIVE_INFINITY);
    }
  }

  get min(): number {
    return Math.max(0, ...this.floors.of(key).map(({ min }) => min));
  }
}

const office = { start: '0 8 * * mon-fri', end: '0 18 * * mon-fri', timeZone: 'Europe/Berlin' };

test('a Function without schedule and prediction is nothing here', async () => {
  const run = new Run(new Book());
  run.track({});
  assert.equal(run.isDue, false);
  assert.equal(await run.floors.check(key, signal), undefined);
});

test('a schedule holds in its hours, and asks for a look when they begin and end', async () => {
  // A Monday in winter, 00:00 UTC.
  const run = new Run(new Book(), new VirtualClock(Date.UTC(2026, 0, 5)));
  run.track({ schedule: [{ ...office, min: 3 }] });
  assert.deepEqual(await run.floors.check(key, signal), { requeueAfterMs: hourMs });
  await run.pass(7 * hourMs);
  assert.equal(run.min, 0);
  await run.pass(300_000);
  assert.equal(run.min, 3);
  const [floor] = run.floors.of(key);
  const name = '"0 8 * * mon-fri" to "0 18 * * mon-fri" (Europe/Berlin)';
  assert.equal(floor?.reason, `the schedule ${name} wants 3`);
  await run.pass(10 * hourMs);
  assert.equal(run.min, 0);
  assert.deepEqual(run.notes, ['changed', 'changed']);
});

test('what cannot be understood is told, and the rest holds', async () => {
  const run = new Run(new Book(), new VirtualClock(Date.UTC(2026, 0, 5, 12)));
  run.track({
    schedule: [
      { ...office, timeZone: 'Mars/North', min: 9 },
      { ...office, start: 'noon', min: 8 },
      { ...office, end: '@every 1h', min: 7 },
      { ...office, start: '0 8 30 2 *', min: 6 },
      { ...office, end: '0 18 31 4 *', min: 5 },
      { ...office, end: `${office.start} `, min: 4 },
      { ...office, min: 2 },
    ],
  });
  await run.floors.check(key, signal);
  assert.equal(run.min, 2);
  assert.deepEqual(run.notes, [
    'timeZone "Mars/North": expected an IANA name, such as Europe/Berlin',
    'start "noon": expected exactly 5 fields, found 1: [noon]',
    'end "@every 1h": expected five fields',
    'start "0 8 30 2 *": no year has such a day',
    'end "0 18 31 4 *": no year has such a day',
    'start and end "0 8 * * mon-fri": expected an end at another time',
    'changed',
  ]);
});

test('a schedule that is taken away ends at once', async () => {
  const run = new Run(new Book(), new VirtualClock(Date.UTC(2026, 0, 5, 12)));
  run.track({ schedule: [{ ...office, min: 3 }] });
  await run.floors.check(key, signal);
  run.track({});
  assert.equal(run.min, 0);
  assert.deepEqual(run.notes, ['changed', 'changed']);
});

test('demand that comes back is met ahead, also after a restart', async () => {
  const book = new Book();
  const clock = new VirtualClock(Date.UTC(2026, 0, 5));
  const busy = (atMs: number): number => {
    const hour = (atMs % dayMs) / hourMs;
    return hour >= 9 && hour < 10 ? 4 : 0;
  };
  const first = new Run(book, clock);
  first.track({ prediction: { ahead: '5m' } });
  await first.pass(3 * dayMs, busy);
  assert.ok(book.writes <= 30, `${book.writes} writes in three days`);
  const second = new Run(book, clock);
  second.track({ prediction: { ahead: '5m' } });
  await second.pass(8 * hourMs + 55 * 60_000);
  assert.equal(second.min, 0);
  await second.pass(300_000);
  assert.equal(second.min, 4);
  assert.match(second.floors.of(key)[0]?.reason ?? '', /^predicted: 4 as on the last 3 days at 09/);
  await second.pass(hourMs + 300_000);
  assert.equal(second.min, 0);
});
