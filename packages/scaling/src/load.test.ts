import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Line, type LineModel } from '../test/line.ts';
import { concurrency, Load, start } from '../test/load.ts';
import { concurrencyOf } from './load.ts';
import type { PanicWindow } from './window.ts';

/** Six seconds in which one call was in flight at each moment, and nothing waited. */
const calm: PanicWindow = {
  ...{ seconds: 6, arrivals: 60, duePerSecond: 10, served: 60 },
  ...{ concurrencyMs: 6000, busyMs: 6000, servedMs: 6000 },
};

test('a load that nothing waits for is what was in flight', () => {
  assert.equal(concurrencyOf(calm), 1);
});

test('what waits counts as the work that it is', () => {
  // By hand: 100 calls of 20 ms within a second are two at once; in line they stood 16 at once.
  const line = { ...calm, arrivals: 100, duePerSecond: 100, served: 100, concurrencyMs: 99_000 };
  assert.equal(concurrencyOf({ ...line, busyMs: 2000, servedMs: 2000 }), 2);
  // Of 200 ms they are twenty, but no more than were measured.
  assert.equal(concurrencyOf({ ...line, busyMs: 6000, servedMs: 20_000 }), 16.5);
});

test('what waits counts in full while nothing has ended', () => {
  const stuck = { ...calm, served: 0, servedMs: 0, concurrencyMs: 60_000 };
  assert.equal(concurrencyOf(stuck), 10);
});

test('quick calls that end do not hide slow ones that do not, nor those that began long ago', () => {
  // 50 quick calls ended; six others were in flight all the time, and 30 waited.
  const slow = { ...calm, served: 50, servedMs: 500, busyMs: 36_500, concurrencyMs: 216_500 };
  assert.ok(concurrencyOf({ ...slow, duePerSecond: 100 }) > 30);
  // A hundred calls of ten seconds end at once.
  const ending = { ...calm, served: 100, servedMs: 1_000_000, busyMs: 10_000 };
  assert.equal(concurrencyOf({ ...ending, concurrencyMs: 600_000, duePerSecond: 10 }), 100);
});

const amounts = fc.record({
  seconds: fc.constantFrom(1, 6, 60),
  arrivals: fc.nat(5000),
  duePerSecond: fc.nat(5000),
  served: fc.nat(5000),
  servedMs: fc.nat(1_000_000),
  busyMs: fc.nat(1_000_000),
});

test('a load is never above what was measured, nor below what was in flight', () => {
  fc.assert(
    fc.property(amounts, fc.nat(1_000_000), (some, waitedMs) => {
      const panic = { ...some, concurrencyMs: some.busyMs + waitedMs };
      const load = concurrencyOf(panic);
      assert.ok(load <= panic.concurrencyMs / (1000 * panic.seconds));
      assert.ok(load >= panic.busyMs / (1000 * panic.seconds));
    }),
  );
});

test('more calls, longer calls and longer waits are never less load; quicker calls never more', () => {
  fc.assert(
    fc.property(amounts, fc.nat(1_000_000), fc.nat(1000), (some, waitedMs, more) => {
      const panic = { ...some, concurrencyMs: some.busyMs + waitedMs };
      const load = concurrencyOf(panic);
      const { concurrencyMs, busyMs, servedMs, duePerSecond, served } = panic;
      const greater: Partial<PanicWindow>[] = [
        { concurrencyMs: concurrencyMs + more },
        { concurrencyMs: concurrencyMs + more, busyMs: busyMs + more },
        { servedMs: servedMs + more },
        { duePerSecond: duePerSecond + more },
      ];
      for (const change of greater) assert.ok(concurrencyOf({ ...panic, ...change }) >= load);
      assert.ok(concurrencyOf({ ...panic, served: served + more }) <= load);
    }),
  );
});

/** A Revision whose Instances are those that are wanted, decided ten times a second. */
function live(model: LineModel, target: number): { load: Load; line: Line } {
  const { limit } = model;
  const load = new Load({ limit, metrics: [concurrency(target)], max: 1000, idleAfterMs: 0 });
  return { load, line: new Line(model, start) };
}

function run(
  { load, line }: ReturnType<typeof live>,
  seconds: number,
  perSecond: number,
): readonly number[] {
  return Array.from({ length: seconds * 10 }, () => {
    line.scale(load.wanted);
    line.pass(100, perSecond);
    load.now += 100;
    load.ready = line.ready;
    return load.measure(line.demand());
  });
}

test('a burst of short calls starts no more Instances than it has work for', () => {
  for (const { calls, callMs, startMs, most } of [
    // Counted by how many stand in line they would be 6, 18 and 17.
    { calls: 100, callMs: 20, startMs: 10, most: 3 },
    { calls: 200, callMs: 40, startMs: 10, most: 9 },
    { calls: 100, callMs: 20, startMs: 3000, most: 3 },
  ]) {
    const revision = live({ callMs, limit: 1, startMs }, 1);
    revision.line.arrive(calls);
    revision.load.measure(revision.line.demand());
    const wanted = run(revision, 30, 0);
    assert.ok(Math.max(...wanted) <= most, `${Math.max(...wanted)} for ${calls} of ${callMs} ms`);
    assert.equal(revision.line.demand().queued, 0);
  }
});

const models = fc.record({
  callMs: fc.constantFrom(10, 50, 200, 1000, 8000),
  limit: fc.integer({ min: 1, max: 10 }),
  startMs: fc.constantFrom(0, 10, 500, 3000, 8000),
});

test('a steady load has what it needs within its windows, and keeps it', () => {
  fc.assert(
    fc.property(models, fc.nat(300), fc.integer({ min: 1, max: 60 }), (model, backlog, busy) => {
      const revision = live(model, model.limit);
      revision.line.arrive(backlog);
      const perSecond = (busy * 1000) / model.callMs;
      const need = Math.ceil(busy / model.limit);
      // The first Instance, then a panic window, and as long as a call takes until all are seen.
      const seenMs = model.startMs + 6000 + model.callMs + 1000;
      const wanted = run(revision, 130, perSecond);
      assert.ok(wanted.slice(seenMs / 100).every((count) => count >= need));
    }),
    { numRuns: 15 },
  );
});

test('a steady load is grown for once, and shrunk once its backlog is forgotten', () => {
  fc.assert(
    fc.property(models, fc.nat(300), fc.integer({ min: 1, max: 60 }), (model, backlog, busy) => {
      const revision = live(model, model.limit * 0.7);
      revision.line.arrive(backlog);
      const wanted = run(revision, 140, (busy * 1000) / model.callMs);
      const most = Math.max(...wanted);
      const peakAt = wanted.indexOf(most);
      // How long calls take is known ever better: a correction is no shrinking.
      const shrunkAt = wanted.findIndex((count, i) => i > peakAt && count < most / 2);
      for (const [i, count] of wanted.entries()) {
        if (shrunkAt < 0 || i <= shrunkAt) continue;
        assert.ok(count <= (wanted[i - 1] ?? 0), `${i}: ${wanted}`);
      }
      assert.equal(new Set(wanted.slice(-200)).size, 1);
    }),
    { numRuns: 15 },
  );
});
