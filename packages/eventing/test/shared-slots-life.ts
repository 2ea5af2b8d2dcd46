/**
 * A random life of many Triggers that share the slots of their process, on a virtual clock and from
 * one seed: targets that are down, flap, or answer after minutes; ends of the process at any moment.
 * Progress is what is looked at: whose target is well gets all its events soon, however others fare.
 */
import assert from 'node:assert/strict';
import { type DeliveryPolicy, resolveDelivery } from '@fnlet/api';
import { type Random, randomInt, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Log, type LogStream, openMemoryLog } from '@fnlet/store/log';
import { Delivery } from '../src/delivery/delivery.ts';
import { DeliverySlots } from '../src/delivery/delivery-slots.ts';
import type { DeliveryAnswer } from '../src/delivery/event-target.ts';
import { packEvent } from '../src/event/packed-event.ts';
import { answerOf, eventOf } from './delivery-world.ts';
import { dead, mortalStream } from './mortal-stream.ts';

type Mood = 'well' | 'failing' | 'flapping' | 'down' | 'stuck';
const moods: readonly Mood[] = ['well', 'well', 'failing', 'flapping', 'down', 'stuck'];

/** How long a target that is stuck takes, as a Function with a long timeout may. */
const stuckMs = 600_000;
/** The longest wait for a probe, of a try, and for the rate, together, and as much again. */
const soonMs = 90_000;

/** One of the Triggers. */
interface Member {
  readonly name: string;
  readonly policy: DeliveryPolicy;
  /** Whether it wants some events only. */
  readonly isChoosy: boolean;
  readonly sent: Set<string>;
  readonly taken: Set<string>;
  mood: Mood;
  delivery: Delivery | undefined;
}

export class SharedSlotsLife {
  readonly #random: Random;
  readonly #clock = new VirtualClock();
  readonly #log: Log = openMemoryLog({ clock: this.#clock });
  readonly #members: readonly Member[];
  readonly #broken: unknown[] = [];
  #process = 0;
  #stop = new AbortController();
  #over: Promise<unknown> = Promise.resolve();
  #slots: DeliverySlots | undefined;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#members = Array.from({ length: 2 + randomInt(this.#random, 7) }, (_, n) => ({
      name: `trigger/${n}`,
      policy: anyPolicy(this.#random),
      isChoosy: this.#random.next() < 0.4,
      sent: new Set<string>(),
      taken: new Set<string>(),
      mood: 'well',
      delivery: undefined,
    }));
  }

  /** Lives for so many steps; then some targets are well and others stuck, then all are well. */
  async live(steps: number): Promise<void> {
    await this.#start();
    for (let step = 0; step < steps; step++) await this.#step();
    const lot = this.#random.next();
    for (const member of this.#members) {
      member.mood = this.#random.next() < lot ? 'stuck' : 'well';
      member.delivery?.resume();
      await this.#send(member);
    }
    const isWell = ({ mood }: Member): boolean => mood === 'well';
    // A try that was begun while a target was stuck keeps back those of its key until it ends.
    if (this.#random.next() < 0.5) await this.#restart(true);
    else await this.#pass(stuckMs);
    await this.#pass(soonMs);
    for (const member of this.#members.filter(isWell)) await this.#assertDone(member);
    for (const member of this.#members) member.mood = 'well';
    await this.#pass(stuckMs + soonMs);
    for (const member of this.#members) await this.#assertDone(member);
    assert.equal(this.#slots?.inFlight, 0, 'a slot was not given back');
    await this.#end();
    await this.#log.close();
  }

  async #step(): Promise<void> {
    const chance = this.#random.next();
    const member = this.#members[randomInt(this.#random, this.#members.length)];
    if (member === undefined) return;
    if (chance < 0.4) await this.#send(member);
    else if (chance < 0.44) await this.#restart(true);
    else if (chance < 0.46) await this.#restart(false);
    else if (chance < 0.64) member.mood = moods[randomInt(this.#random, moods.length)] ?? 'well';
    else if (chance < 0.68) member.delivery?.pause();
    else if (chance < 0.74) member.delivery?.resume();
    else await this.#pass(randomInt(this.#random, chance < 0.9 ? 50 : 5_000));
  }

  async #pass(durationMs: number): Promise<void> {
    await this.#clock.advance(durationMs);
    if (this.#broken.length > 0) throw this.#broken[0];
  }

  async #send(member: Member): Promise<void> {
    const stream = await this.#log.stream(member.name);
    const count = 1 + randomInt(this.#random, this.#random.next() < 0.1 ? 60 : 12);
    const events = Array.from({ length: count }, () => {
      // Those with a number are wanted by all.
      if (member.isChoosy && this.#random.next() < 0.8) return eventOf('other', 'other');
      const id = String(member.sent.size);
      member.sent.add(id);
      return eventOf(id, `k${randomInt(this.#random, 4)}`);
    });
    await stream.append(events.map((event) => ({ payload: packEvent(event) })));
  }

  async #assertDone({ name, sent, taken, delivery, policy }: Member): Promise<void> {
    const missing = [...sent.difference(taken)];
    const state = JSON.stringify({ ...(await delivery?.state()), policy });
    assert.deepEqual(missing, [], `events of ${name} wait, ${state}`);
    assert.equal((await delivery?.state())?.lag, 0, `${name} has a lag, ${state}`);
  }

  async #start(): Promise<void> {
    const number = ++this.#process;
    const limits = {
      inFlightMax: 1 + randomInt(this.#random, 6),
      bytesMax: 10 + randomInt(this.#random, 100),
      begunPerTurn: 1 + randomInt(this.#random, 4),
    };
    const isAlive = (): boolean => this.#process === number;
    const nextTurn = (callback: () => void): void => {
      // A turn takes a while: other things happen before the next.
      this.#clock.after(1, () => {
        if (isAlive()) callback();
      });
    };
    const slots = new DeliverySlots(limits, { nextTurn });
    const stop = new AbortController();
    this.#slots = slots;
    this.#stop = stop;
    const runs: Promise<void>[] = [];
    for (const member of this.#members) {
      const writeMs = [0, 10, 300][randomInt(this.#random, 3)] ?? 0;
      const mortality = { clock: this.#clock, random: this.#random, writeMs, isAlive };
      const stream = mortalStream(await this.#log.stream(member.name), mortality);
      runs.push(this.#run(member, { stream, slots, isAlive, signal: stop.signal }));
    }
    this.#over = Promise.all(runs);
  }

  async #run(member: Member, { stream, slots, isAlive, signal }: Life): Promise<void> {
    const delivery = new Delivery({
      owner: member.name,
      stream,
      consumer: await stream.consumer('delivery'),
      target: {
        deliver: async ({ events }, cut): Promise<DeliveryAnswer> => {
          const answer = await this.#answer(member, cut);
          if (!isAlive()) return dead;
          if (answer.status === 200)
            for (const each of events) member.taken.add(each.attributes.id);
          return answer;
        },
      },
      policy: resolveDelivery(member.policy),
      keyOf: ({ attributes: { subject } }) =>
        member.policy.orderingKey === undefined ? undefined : subject,
      wants: ({ attributes: { subject } }) => subject !== 'other',
      removes: true,
      giveUp: async () => assert.fail('an event is given up that only had to wait'),
      slots,
      clock: this.#clock,
      random: this.#random,
      logger: silentLogger,
      limits: { readRecords: 4, readyMax: 3, unwrittenMax: 4, removeRecords: 10, graceMs: 2_000 },
    });
    member.delivery = delivery;
    await delivery.run(signal).catch((error: unknown) => this.#broken.push(error));
  }

  async #answer({ mood }: Member, cut: AbortSignal): Promise<DeliveryAnswer> {
    const chance = this.#random.next();
    const ms = mood === 'stuck' ? stuckMs : randomInt(this.#random, 20);
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(ms, resolve);
      cut.addEventListener('abort', () => {
        timer.cancel();
        resolve();
      });
    });
    if (cut.aborted || mood === 'down') return answerOf(chance < 0.5 ? 0 : 503);
    if (mood === 'flapping' && chance < 0.5) return answerOf(chance < 0.25 ? 502 : 429);
    if (mood === 'failing' && chance < 0.7) return answerOf(500);
    return answerOf(200);
  }

  /** The process is killed, or ends in an orderly way; another one begins. */
  async #restart(isKilled: boolean): Promise<void> {
    const stop = this.#stop;
    if (!isKilled) await this.#end();
    await this.#start();
    stop.abort();
  }

  async #end(): Promise<void> {
    let isOver = false;
    void this.#over.finally(() => {
      isOver = true;
    });
    this.#stop.abort();
    while (!isOver) await this.#pass(100);
  }
}

/** What a Trigger has in one process. */
interface Life {
  readonly stream: LogStream;
  readonly slots: DeliverySlots;
  readonly isAlive: () => boolean;
  readonly signal: AbortSignal;
}

function anyPolicy(random: Random): DeliveryPolicy {
  return {
    ...(random.next() < 0.5 ? { orderingKey: 'subject' } : {}),
    ...(random.next() < 0.3 ? { batch: { size: 2 + randomInt(random, 3), wait: '50ms' } } : {}),
    ...(random.next() < 0.3 ? { rate: { perSecond: 20, burst: 1 + randomInt(random, 5) } } : {}),
    retry: 100,
    backoffDelay: '10ms',
    backoffMax: '1s',
    concurrency: 1 + randomInt(random, 6),
  };
}
