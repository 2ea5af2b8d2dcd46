/**
 * A random life of a stream of Kinesis and of who reads it, on a virtual clock and from one seed:
 * shards are split and merged, Kinesis refuses and does not answer, the log is slow, and the source
 * ends at any moment, orderly or with what it had not written. What was put is compared with what
 * came.
 */
import assert from 'node:assert/strict';
import {
  type JsonObject,
  type Random,
  randomInt,
  seededRandom,
  sleep,
  VirtualClock,
} from '@fnlet/base';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { KinesisRecords } from '../src/sources/kinesis/kinesis-records.ts';
import { KinesisCloud } from './kinesis-cloud.ts';
import { SourceDesk } from './source-desk.ts';

const spec = { stream: 's', region: 'r', from: 'oldest', secret: 'aws' } as const;
const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const moods = [
  undefined,
  undefined,
  'ProvisionedThroughputExceededException',
  'ExpiredIteratorException',
  'InternalFailure',
  'no answer',
] as const;

/** A process: what it writes counts while it lives. */
class MortalDesk extends SourceDesk {
  isDead = false;
  readonly #life: { kept: JsonObject | undefined };
  readonly #random: Random;

  constructor(life: { kept: JsonObject | undefined }, clock: VirtualClock, random: Random) {
    super(clock);
    this.#life = life;
    this.#random = random;
    this.secrets = { 'aws/aws_access_key_id': 'A', 'aws/aws_secret_access_key': 'S' };
  }

  override readonly checkpoint = {
    load: async () => this.#life.kept,
    save: async (value: JsonObject) => {
      if (!this.isDead) this.#life.kept = value;
    },
  };

  override async accept(events: readonly CloudEvent[]): Promise<void> {
    await sleep(this.clock, randomInt(this.#random, 2_000));
    if (!this.isDead) await super.accept(events);
  }
}

export class KinesisLife {
  readonly #random: Random;
  readonly #clock = new VirtualClock();
  readonly #cloud: KinesisCloud;
  readonly #kept: { kept: JsonObject | undefined } = { kept: undefined };
  readonly #put = new Map<string, string[]>();
  readonly #came: CloudEvent[] = [];
  #mood: (typeof moods)[number];
  #number = 0;
  #desk: MortalDesk | undefined;
  #stop = new AbortController();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#cloud = new KinesisCloud(this.#clock, 1 + randomInt(this.#random, 3));
    this.#cloud.trouble = () => (this.#random.next() < 0.5 ? this.#mood : undefined);
  }

  async live(steps: number): Promise<void> {
    this.#start();
    for (let step = 0; step < steps; step++) await this.#step();
    this.#mood = undefined;
    await this.#kill();
    this.#start();
    await this.#clock.advance(180_000);
    await this.#kill();
    for (const [key, put] of this.#put) {
      const came = this.#came
        .filter(({ attributes }) => attributes.partitionkey === key)
        .map(({ data }) => Buffer.from(data ?? []).toString());
      // What comes again is known by its id; what is left is to be in order.
      assert.deepEqual([...new Set(came)], put, `records of ${key}`);
    }
  }

  async #step(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.5) this.#write();
    else if (chance < 0.6) this.#reshard();
    else if (chance < 0.75) this.#mood = moods[randomInt(this.#random, moods.length)];
    else if (chance < 0.85) {
      await this.#kill();
      this.#start();
    }
    await this.#clock.advance(randomInt(this.#random, 10_000));
  }

  #write(): void {
    for (let count = randomInt(this.#random, 30); count >= 0; count--) {
      const key = keys[randomInt(this.#random, keys.length)] ?? '';
      const data = String(this.#number++);
      this.#cloud.put(key, data);
      this.#put.set(key, [...(this.#put.get(key) ?? []), data]);
    }
  }

  #reshard(): void {
    const open = this.#cloud.shards.filter(({ isClosed }) => !isClosed);
    const one = open[randomInt(this.#random, open.length)];
    if (one === undefined) return;
    const next = open.find(({ low }) => low === one.high);
    if (next !== undefined && this.#random.next() < 0.5) this.#cloud.merge(one.id, next.id);
    else if (one.high - one.low > 1) this.#cloud.split(one.id);
  }

  /** Runs it again and again, as the Trigger does. */
  #start(): void {
    const desk = new MortalDesk(this.#kept, this.#clock, this.#random);
    const stop = new AbortController();
    this.#desk = desk;
    this.#stop = stop;
    const run = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const source = new KinesisRecords({ spec, context: desk, port: this.#cloud });
        await source.run(stop.signal).catch(() => {});
        await sleep(this.#clock, 1_000, stop.signal);
      }
    };
    void run();
  }

  async #kill(): Promise<void> {
    const desk = this.#desk;
    if (desk === undefined) return;
    desk.isDead = this.#random.next() < 0.5;
    const taken = desk.isDead ? desk.events.length : undefined;
    this.#stop.abort();
    await this.#clock.advance(5_000);
    this.#came.push(...desk.events.slice(0, taken));
  }
}
