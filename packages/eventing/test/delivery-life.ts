/**
 * A random life of delivery, on a virtual clock and from one seed: a target that is slow, down,
 * flapping, and refuses some events for ever; ends of the process at any moment, orderly or not.
 * What was sent is compared with what arrived.
 */
import assert from 'node:assert/strict';
import { type DeliveryPolicy, resolveDelivery } from '@fnlet/api';
import { type Random, randomInt, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Log, type LogStream, openMemoryLog } from '@fnlet/store/log';
import { DeadLetters } from '../src/dead-letters/dead-letters.ts';
import { isDelivered } from '../src/delivery/decide-delivery.ts';
import { Delivery } from '../src/delivery/delivery.ts';
import type { DeliveryAnswer, DeliveryAttempt } from '../src/delivery/event-target.ts';
import { packEvent } from '../src/event/packed-event.ts';
import { checkDeliveries, type SentEvent } from './check-deliveries.ts';
import { answerOf, eventOf } from './delivery-world.ts';
import { dead, mortalStream } from './mortal-stream.ts';

type Mood = 'well' | 'slow' | 'failing' | 'flapping' | 'down';
const moods: readonly Mood[] = ['well', 'well', 'slow', 'failing', 'flapping', 'down'];

const shortDelay = '200ms';

/** One process, from its start to its end. */
interface Process {
  readonly number: number;
  readonly delivery: Delivery;
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

export class DeliveryLife {
  readonly #random: Random;
  readonly #clock = new VirtualClock();
  readonly #log: Log = openMemoryLog({ clock: this.#clock });
  readonly #policy: DeliveryPolicy;
  readonly #sent = new Map<string, SentEvent>();
  /** Ids under way, by key. */
  readonly #underWay = new Map<string, string>();
  readonly #broken: unknown[] = [];
  #kills = 0;
  #mood: Mood = 'well';
  #process: Process | undefined;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#policy = anyPolicy(this.#random);
  }

  /** Lives for so many steps, then comes to its end, and looks at what became of all events. */
  async live(steps: number): Promise<void> {
    await this.#start();
    for (let step = 0; step < steps; step++) await this.#step();
    this.#mood = 'well';
    await this.#restart(false);
    await this.#untilOthersAreThrough();
    await this.#untilAllIsSettled();
    await this.#restart(false);
    await this.#clock.advance(60_000);
    assert.equal((await (await this.#stream()).size()).records, 0, 'what is settled is gone');
    const { letters } = await (await this.#letters()).list({}, { limit: 10_000 });
    const crashes = this.#kills;
    checkDeliveries([...this.#sent.values()], { letters, crashes, policy: this.#policy });
    await this.#log.close();
    assert.equal(this.#clock.timers, 0, 'a timer waits for nothing');
  }

  async #step(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.35) await this.#send();
    else if (chance < 0.4) await this.#restart(true);
    else if (chance < 0.43) await this.#restart(false);
    else if (chance < 0.55) this.#mood = moods[randomInt(this.#random, moods.length)] ?? 'well';
    else if (chance < 0.6) this.#process?.delivery.pause();
    else if (chance < 0.7) this.#process?.delivery.resume();
    // Short ones end while something is under way.
    else await this.#pass(randomInt(this.#random, chance < 0.85 ? 50 : 3_000));
  }

  async #pass(durationMs: number): Promise<void> {
    await this.#clock.advance(durationMs);
    if (this.#broken.length > 0) throw this.#broken[0];
  }

  #stream(): Promise<LogStream> {
    return this.#log.stream('trigger/1');
  }

  #letters(): Promise<DeadLetters> {
    return DeadLetters.open(this.#log, '1', this.#clock);
  }

  async #send(): Promise<void> {
    const events = Array.from({ length: 1 + randomInt(this.#random, 5) }, () => {
      const id = String(this.#sent.size + 1);
      const key = `k${randomInt(this.#random, 6)}`;
      // Events of two keys are refused, or fail, for ever; others without a key, too.
      const isPoison = (key === 'k0' || key === 'k1') && this.#random.next() < 0.3;
      const one = { id, key: key === 'k5' ? undefined : key, isPoison };
      this.#sent.set(id, { ...one, starts: [], successes: [], failures: [] });
      return eventOf(id, one.key);
    });
    const stream = await this.#stream();
    await stream.append(events.map((event) => ({ payload: packEvent(event) })));
  }

  async #start(): Promise<void> {
    const number = (this.#process?.number ?? 0) + 1;
    const isAlive = (): boolean => this.#process?.number === number;
    const writeMs = [0, 10, 300][number % 3] ?? 0;
    const mortality = { clock: this.#clock, random: this.#random, writeMs, isAlive };
    const stream = mortalStream(await this.#stream(), mortality);
    const letters = await this.#letters();
    const burying = mortalStream(letters.stream, mortality);
    const delivery = new Delivery({
      owner: '1',
      stream,
      consumer: await stream.consumer('delivery'),
      target: { deliver: (attempt) => this.#take(attempt, isAlive) },
      policy: resolveDelivery(this.#policy),
      keyOf: ({ attributes: { subject } }) =>
        this.#policy.orderingKey === undefined ? undefined : subject,
      removes: true,
      giveUp: async (event) => {
        await burying.trim(0);
        await letters.bury(event, { trigger: 'default/t', destination: 'f' });
      },
      clock: this.#clock,
      random: this.#random,
      logger: silentLogger,
      limits: { readRecords: 7, readyMax: 5, removeRecords: 10, writtenRecords: 3, graceMs: 2_000 },
    });
    const stop = new AbortController();
    this.#underWay.clear();
    const over = Promise.resolve().then(() => delivery.run(stop.signal));
    this.#process = { number, delivery, stop, over };
    over.catch((error: unknown) => this.#broken.push(error));
  }

  /** The process is killed, or ends and waits for what is under way. */
  async #restart(isKilled: boolean): Promise<void> {
    const { over, stop } = this.#process ?? {};
    if (isKilled) this.#kills++;
    else {
      let isOver = false;
      void over?.finally(() => {
        isOver = true;
      });
      stop?.abort();
      while (!isOver) await this.#pass(100);
      // Tries that were cut off may come again.
      this.#kills++;
    }
    await this.#start();
    stop?.abort();
  }

  async #take(attempt: DeliveryAttempt, isAlive: () => boolean): Promise<DeliveryAnswer> {
    if (!isAlive()) return dead;
    const { orderingKey } = this.#policy;
    const sent = attempt.events.map(({ attributes: { id } }) => this.#sentOf(id));
    for (const one of sent) {
      one.starts.push(this.#clock.now());
      if (orderingKey === undefined || one.key === undefined || sent.length > 1) continue;
      const other = this.#underWay.get(one.key);
      assert.equal(other, undefined, `event ${one.id} goes while ${other} of its key is under way`);
      this.#underWay.set(one.key, one.id);
    }
    const tookMs = this.#mood === 'slow' ? 2_000 : 20;
    await new Promise<void>((resolve) => {
      this.#clock.after(randomInt(this.#random, tookMs), resolve);
    });
    const answer = this.#answer(sent.some(({ isPoison }) => isPoison));
    const isTaken = isDelivered(answer);
    // What the target did it did, whoever is there to hear of it.
    for (const one of sent) (isTaken ? one.successes : one.failures).push(this.#clock.now());
    if (!isAlive()) return dead;
    for (const { key } of sent) if (key !== undefined) this.#underWay.delete(key);
    return answer;
  }

  #answer(isPoison: boolean): DeliveryAnswer {
    const chance = this.#random.next();
    if (this.#mood === 'down') return answerOf(chance < 0.5 ? 0 : 503);
    if (this.#mood === 'flapping' && chance < 0.5) return answerOf(chance < 0.25 ? 502 : 429);
    if (this.#mood === 'failing' && chance < 0.7) return answerOf(500, { 'retry-after': '1' });
    if (isPoison) return answerOf(this.#policy.retry === 0 ? 400 : 500);
    return answerOf(chance < 0.5 ? 200 : 204);
  }

  /** Poison keeps nobody back but those of its key, once the target is well again. */
  async #untilOthersAreThrough(): Promise<void> {
    const waiting = (): readonly string[] =>
      [...this.#sent.values()]
        .filter(({ key }) => key !== 'k0' && key !== 'k1')
        .filter(({ starts }) => starts.length === 0)
        .map(({ id }) => id);
    const { coalesce = false, backoffDelay } = this.#policy;
    // Events that failed while the target was not well may wait for hours, and others behind them.
    if (coalesce || backoffDelay !== shortDelay) return;
    const isThrough = (): boolean => waiting().length === 0;
    for (let n = 0; !isThrough() && n < 300; n++) await this.#pass(1_000);
    assert.ok(isThrough(), `these events still wait for their first try: ${waiting()}`);
  }

  async #untilAllIsSettled(): Promise<void> {
    const lag = async (): Promise<number> => (await this.#process?.delivery.state())?.lag ?? 0;
    for (let n = 0; (await lag()) > 0; n++) {
      await this.#pass(60_000);
      assert.ok(n < 5_000, `${await lag()} events never came to an end`);
    }
  }

  #sentOf(id: string): SentEvent {
    const one = this.#sent.get(id);
    assert(one !== undefined, `event ${id} was sent`);
    return one;
  }
}

function anyPolicy(random: Random): DeliveryPolicy {
  const orderingKey = random.next() < 0.7 ? { orderingKey: 'subject' } : {};
  const isCoalescing = orderingKey.orderingKey !== undefined && random.next() < 0.3;
  const batch = random.next() < 0.3 ? { size: 2 + randomInt(random, 3), wait: '50ms' } : undefined;
  return {
    ...orderingKey,
    ...(isCoalescing ? { coalesce: true } : {}),
    ...(batch === undefined || isCoalescing ? {} : { batch }),
    ...(random.next() < 0.2 ? { rate: { perSecond: 20, burst: 5 } } : {}),
    retry: randomInt(random, 4),
    backoffPolicy: random.next() < 0.8 ? 'exponential' : 'linear',
    backoffDelay: random.next() < 0.5 ? shortDelay : '10m',
    jitter: random.next() < 0.5,
    concurrency: 1 + randomInt(random, 6),
  };
}
