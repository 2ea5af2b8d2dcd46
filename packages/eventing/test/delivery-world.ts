/** Delivery on a virtual clock over a log in memory, to a target that is a script. */
import { type DeliveryPolicy, resolveDelivery } from '@fnlet/api';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Log, type LogStream, openMemoryLog } from '@fnlet/store/log';
import { Delivery } from '../src/delivery/delivery.ts';
import type { DeliveryOptions } from '../src/delivery/delivery-options.ts';
import type { DeliveryAnswer, DeliveryAttempt } from '../src/delivery/event-target.ts';
import type { GivenUpEvent } from '../src/delivery/given-up-event.ts';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { packEvent } from '../src/event/packed-event.ts';

export type Script = (
  attempt: DeliveryAttempt,
  signal: AbortSignal,
) => DeliveryAnswer | Promise<DeliveryAnswer>;

export type WorldOptions = Partial<Omit<DeliveryOptions, 'policy' | 'target'>> & {
  readonly policy?: DeliveryPolicy;
  /** Default: takes everything. */
  readonly target?: Script;
};

/** An event with an id, and a key in its attribute `subject`. */
export function eventOf(id: string, subject?: string): CloudEvent {
  const attributes = { specversion: '1.0', id, source: '/test', type: 'test' } as const;
  return {
    attributes: subject === undefined ? attributes : { ...attributes, subject },
    data: Buffer.from(`data of ${id}`),
  };
}

export function answerOf(status: number, headers: Record<string, string> = {}): DeliveryAnswer {
  return { status, headers, body: Buffer.from(`answer ${status}`) };
}

export class DeliveryWorld implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly log: Log = openMemoryLog({ clock: this.clock });
  readonly attempts: DeliveryAttempt[] = [];
  readonly givenUp: GivenUpEvent[] = [];
  readonly #options: WorldOptions;
  #running:
    | { readonly delivery: Delivery; readonly stop: AbortController; readonly run: Promise<void> }
    | undefined;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
  }

  /** Ids in the order in which the target got them. */
  get ids(): readonly string[] {
    return this.attempts.flatMap(({ events }) => events.map(({ attributes: { id } }) => id));
  }

  get delivery(): Delivery {
    if (this.#running === undefined) throw new Error('Delivery was not started');
    return this.#running.delivery;
  }

  stream(): Promise<LogStream> {
    return this.log.stream('trigger/1');
  }

  async append(...events: readonly CloudEvent[]): Promise<void> {
    const stream = await this.stream();
    await stream.append(events.map((event) => ({ payload: packEvent(event) })));
  }

  async start(options: WorldOptions = {}): Promise<Delivery> {
    const {
      policy = {},
      target = () => answerOf(200),
      ...others
    } = {
      ...this.#options,
      ...options,
    };
    const stream = await this.stream();
    const delivery = new Delivery({
      owner: '1',
      stream,
      consumer: await stream.consumer('delivery'),
      removes: true,
      keyOf: ({ attributes: { subject } }) => (policy.orderingKey ? subject : undefined),
      giveUp: async (event) => void this.givenUp.push(event),
      clock: this.clock,
      random: seededRandom(1),
      logger: silentLogger,
      ...others,
      policy: resolveDelivery(policy),
      target: {
        deliver: async (attempt, signal) => {
          this.attempts.push(attempt);
          return target(attempt, signal);
        },
      },
    });
    const stop = new AbortController();
    this.#running = { delivery, stop, run: delivery.run(stop.signal) };
    await this.settle();
    return delivery;
  }

  /** Lets all happen that does not wait for time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) await this.clock.advance(0);
  }

  /** Lets time pass in steps, and all happen that follows from it. */
  async pass(durationMs: number, stepMs: number = durationMs): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) {
      await this.clock.advance(stepMs);
      await this.settle();
    }
  }

  /** Ends it in an orderly way. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    running.stop.abort();
    let isOver = false;
    const ended = running.run.finally(() => {
      isOver = true;
    });
    ended.catch(() => {});
    await this.settle();
    while (!isOver) await this.pass(1_000);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.log.close();
  }
}
