import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CronSource } from '@fnlet/api';
import { type Clock, type JsonObject, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { openMemoryLog } from '@fnlet/store/log';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { SharedTimer } from '../shared-timer.ts';
import type { SourceContext, SourceState } from '../source.ts';
import { createCronTimes } from './cron-times.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

/** What surrounds a source, with what it was told. */
class Surroundings {
  readonly clock = new VirtualClock(start);
  /** How much the time of day was set by: timers know nothing of that. */
  setByMs = 0;
  readonly #wall: Clock = {
    now: () => this.clock.now() + this.setByMs,
    monotonicMs: () => this.clock.monotonicMs(),
    after: (delayMs, callback) => this.clock.after(delayMs, callback),
  };
  readonly timer = new SharedTimer(this.#wall);
  readonly events: CloudEvent[] = [];
  readonly told: string[] = [];
  kept: JsonObject | undefined;
  state: SourceState | undefined;
  undelivered = 0;
  #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  async begin(spec: Partial<CronSource>): Promise<void> {
    this.#abort = new AbortController();
    const context: SourceContext = {
      namespace: 'default',
      name: 'often',
      uid: 'u1',
      accept: async (events) => void this.events.push(...events),
      checkpoint: {
        load: async () => this.kept,
        save: async (value) => {
          this.kept = value;
        },
      },
      stream: (options) => openMemoryLog().stream('source', options),
      undelivered: async () => this.undelivered,
      report: (state) => {
        this.state = state;
      },
      tell: ({ reason }) => void this.told.push(reason),
      secret: async () => undefined,
      clock: this.#wall,
      random: seededRandom(1),
      logger: silentLogger,
    };
    const whole: CronSource = {
      ...{ schedule: '*/5 * * * *', missed: 'once', concurrencyPolicy: 'Allow' },
      ...spec,
    };
    const { timer } = this;
    this.#running = createCronTimes({ spec: whole, context, timer }).run(this.#abort.signal);
    await this.clock.advance(0);
  }

  async end(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  get times(): readonly unknown[] {
    return this.events.map(({ attributes }) => attributes.time?.slice(11, 19));
  }
}

const minute = 60_000;

test('each time is an event of its own, that carries the data', async () => {
  const world = new Surroundings();
  await world.begin({ data: { a: 1 } });
  await world.clock.advance(10 * minute);
  assert.deepEqual(world.times, ['00:05:00', '00:10:00']);
  const [event] = world.events;
  assert.deepEqual(event?.attributes, {
    specversion: '1.0',
    id: 'u1.2026-01-01T00:05:00.000Z',
    source: '/apis/fnlet.dev/v1alpha1/namespaces/default/triggers/often',
    type: 'dev.fnlet.cron',
    time: '2026-01-01T00:05:00.000Z',
    datacontenttype: 'application/json',
  });
  assert.equal(Buffer.from(event?.data ?? []).toString(), '{"a":1}');
  assert.equal(world.state?.nextMs, start + 15 * minute);
  await world.end();
});

test('a text is sent as it is', async () => {
  const world = new Surroundings();
  await world.begin({ data: 'a=b', contentType: 'application/x-www-form-urlencoded' });
  await world.clock.advance(5 * minute);
  const [event] = world.events;
  assert.equal(event?.attributes.datacontenttype, 'application/x-www-form-urlencoded');
  assert.equal(Buffer.from(event?.data ?? []).toString(), 'a=b');
  await world.end();
});

test('times that passed meanwhile are made up for after a restart, and told', async () => {
  const world = new Surroundings();
  await world.begin({});
  await world.clock.advance(7 * minute);
  await world.end();
  await world.clock.advance(20 * minute);
  await world.begin({});
  assert.deepEqual(world.times, ['00:05:00', '00:25:00']);
  assert.deepEqual(world.told, ['TimesMissed']);
  await world.end();
});

test('times before the first start, and of another schedule, were never missed', async () => {
  const world = new Surroundings();
  await world.begin({});
  await world.clock.advance(6 * minute);
  await world.end();
  await world.clock.advance(30 * minute);
  await world.begin({ schedule: '*/7 * * * *' });
  assert.deepEqual(world.times, ['00:05:00']);
  await world.clock.advance(6 * minute);
  assert.deepEqual(world.times, ['00:05:00', '00:42:00']);
  await world.end();
});

test('a clock that was set back keeps it waiting for the next time only', async () => {
  const world = new Surroundings();
  world.kept = { rule: '*/5 * * * * UTC', seenMs: start + 1_000 * minute };
  await world.begin({});
  await world.clock.advance(5 * minute);
  assert.deepEqual(world.times, ['00:05:00']);
  await world.end();
});

test('with Forbid a time is left out while an earlier event is not delivered', async () => {
  const world = new Surroundings();
  await world.begin({ concurrencyPolicy: 'Forbid' });
  world.undelivered = 1;
  await world.clock.advance(5 * minute);
  assert.deepEqual([world.times, world.told], [[], ['TimeLeftOut']]);
  world.undelivered = 0;
  await world.clock.advance(5 * minute);
  assert.deepEqual(world.times, ['00:10:00']);
  await world.end();
});

test('jitter delays all events of a Trigger by the same time', async () => {
  const world = new Surroundings();
  await world.begin({ jitter: '4m' });
  const lateMs = Number(world.state?.nextMs) - start - 5 * minute;
  assert.ok(lateMs > 0 && lateMs < 4 * minute, `${lateMs}`);
  await world.clock.advance(5 * minute + lateMs - 1);
  assert.deepEqual(world.times, []);
  await world.clock.advance(1);
  assert.deepEqual(world.times, ['00:05:00']);
  assert.equal(world.state?.nextMs, start + 10 * minute + lateMs);
  await world.end();
});

test('a schedule that is never due again says so and ends', async () => {
  const world = new Surroundings();
  await world.begin({ schedule: '0 0 30 2 *' });
  assert.match(world.state?.trouble ?? '', /never due/);
  await world.end();
});

test('refuses what is no schedule and no time zone', async () => {
  const world = new Surroundings();
  await assert.rejects(world.begin({ schedule: '61 * * * *' }), { code: 'InvalidSource' });
  await assert.rejects(world.begin({ timeZone: 'Mars/Olympus' }), /time zone "Mars\/Olympus"/);
});

test('schedules share one timer, and none is left when they end', async () => {
  const world = new Surroundings();
  const timer = new SharedTimer(world.clock);
  const abort = new AbortController();
  const waits = [3, 1, 2].map((at) => timer.until(start + at * minute, abort.signal));
  assert.equal(world.clock.timers, 1);
  await world.clock.advance(minute);
  assert.equal(await waits[1], true);
  abort.abort();
  assert.deepEqual(await Promise.all(waits), [false, true, false]);
  assert.equal(world.clock.nextDueMs, undefined);
});

test('a clock that was ahead for a while and is set right makes it wait for nothing', async () => {
  const world = new Surroundings();
  await world.begin({});
  world.setByMs = 365 * 24 * 60 * minute;
  await world.clock.advance(minute);
  assert.equal(world.events.length, 1);
  world.setByMs = 0;
  await world.clock.advance(9 * minute);
  assert.deepEqual(world.times.slice(1), ['00:05:00', '00:10:00']);
  assert.equal(world.state?.nextMs, start + 15 * minute);
  await world.end();
});

test('a time of day has come, though timers stood still while the machine slept', async () => {
  const world = new Surroundings();
  await world.begin({ schedule: '0 8 * * *', missed: 'skip' });
  await world.clock.advance(minute);
  world.setByMs = 478 * minute;
  await world.clock.advance(minute + 10_000);
  assert.deepEqual(world.times, ['08:00:00']);
  await world.end();
});
