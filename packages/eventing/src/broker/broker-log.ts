/**
 * The events of one Broker: a stream of the log, in which each Trigger is a consumer.
 *
 * I1. What `accept` has resolved for is durable.
 * I2. Nothing goes that a Trigger is not done with, but for the bounds of the Broker itself.
 */
import type { BrokerObject } from '@fnlet/api';
import type { Clock } from '@fnlet/base';
import { appendParts, type Log, type LogStream } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';
import { assertKeepable, eventEntry } from '../event/event-entry.ts';
import type { EventHappening, EventPlace } from '../tail/event-happening.ts';
import { readHistory } from '../tail/read-history.ts';
import { brokerAgeMs, brokerStream, brokerStreamOptions } from './broker-stream.ts';
import { firstAfter } from './first-after.ts';
import { type ConsumerStanding, planTrim } from './plan-trim.ts';

/** What a look at it found. */
export interface BrokerStanding {
  readonly events: number;
  readonly bytes: number;
  /** Events that went too early, since the look before. */
  readonly lost: number;
}

export class BrokerLog {
  readonly uid: string;
  readonly #stream: LogStream;
  readonly #clock: Clock;
  /** The oldest event at the last look. */
  #firstBefore: number | undefined;

  private constructor(uid: string, stream: LogStream, clock: Clock) {
    this.uid = uid;
    this.#stream = stream;
    this.#clock = clock;
  }

  static async open(
    broker: BrokerObject,
    { log, clock }: { readonly log: Log; readonly clock: Clock },
  ): Promise<BrokerLog> {
    const { uid = '' } = broker.metadata;
    const stream = await log.stream(brokerStream(uid), brokerStreamOptions(broker));
    return new BrokerLog(uid, stream, clock);
  }

  /**
   * Of each event whether it is new; one that is not is kept already. Where they take several
   * appends, those before one that failed are kept, and known when they come again.
   *
   * @throws EventError `TooLarge`, before any is kept; LogError
   */
  async accept(events: readonly CloudEvent[]): Promise<readonly boolean[]> {
    for (const event of events) assertKeepable(event);
    const stream = this.#stream;
    const bounds = { bytesMax: stream.appendBytesMax };
    const isNew: boolean[] = [];
    for (const part of appendParts(events.map(eventEntry), (entry) => entry, bounds)) {
      const { sequences } = await stream.append(part);
      for (const sequence of sequences) isNew.push(sequence !== undefined);
    }
    return isNew;
  }

  /** The events that it keeps from a time on. */
  history(place: EventPlace, sinceMs: number): Promise<readonly EventHappening[]> {
    return readHistory(this.#stream, { place, outcome: 'accepted', sinceMs });
  }

  /** Lets go what has been kept long enough, and tells how it stands. */
  async look(broker: BrokerObject): Promise<BrokerStanding> {
    const { first, last } = await this.#stream.size();
    const { before, lost } = planTrim({
      first,
      firstBefore: this.#firstBefore ?? first,
      young: await firstAfter(this.#stream, this.#clock.now() - brokerAgeMs(broker)),
      consumers: await this.#consumers(),
    });
    this.#firstBefore = before;
    if (before > first && last >= first) await this.#stream.trim(before);
    const { records: events, bytes } = await this.#stream.size();
    return { events, bytes, lost };
  }

  /** How many of its events not every Trigger is done with. */
  async wanted(): Promise<number> {
    const { first, last } = await this.#stream.size();
    const consumers = await this.#consumers();
    const unsettled = consumers.map((consumer) => consumer.unsettled);
    return Math.max(0, last + 1 - Math.max(first, Math.min(last + 1, ...unsettled)));
  }

  async #consumers(): Promise<readonly ConsumerStanding[]> {
    const names = await this.#stream.consumers();
    return Promise.all(names.map((name) => this.#standingOf(name)));
  }

  async #standingOf(name: string): Promise<ConsumerStanding> {
    const consumer = await this.#stream.consumer(name);
    for await (const { sequence } of consumer.outstanding()) return { unsettled: sequence };
    return { unsettled: consumer.cursor + 1 };
  }
}
