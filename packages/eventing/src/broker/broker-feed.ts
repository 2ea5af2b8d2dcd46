/** What a Trigger reads of a Broker: its stream, in which the Trigger is a consumer. */
import type { TriggerObject } from '@fnlet/api';
import type { Log, LogConsumer, LogStream } from '@fnlet/store/log';
import { brokerStream } from './broker-stream.ts';
import { firstAfter } from './first-after.ts';

export interface BrokerFeed {
  readonly stream: LogStream;
  readonly consumer: LogConsumer;
}

const consumers = 'trigger/';

/** The consumer of a Broker's stream that a Trigger is. */
export function brokerConsumer(triggerUid: string): string {
  return `${consumers}${triggerUid}`;
}

/** Opens it; one that is new stands where the Trigger says that it begins. */
export async function openBrokerFeed(
  log: Log,
  trigger: TriggerObject,
  brokerUid: string,
): Promise<BrokerFeed> {
  const stream = await log.stream(brokerStream(brokerUid));
  const name = brokerConsumer(trigger.metadata.uid ?? '');
  const isKnown = (await stream.consumers()).includes(name);
  const consumer = await stream.consumer(name);
  if (!isKnown) {
    const first = await firstAfter(stream, beginMs(trigger) - 1);
    await consumer.commit({ cursor: first - 1 });
  }
  return { stream, consumer };
}

/** Events that a Trigger is not done with, those that it does not want among them. */
export async function feedLag({ stream, consumer }: BrokerFeed): Promise<number> {
  const { records, first, last } = await stream.size();
  let open = Math.min(records, last - Math.max(consumer.cursor, first - 1));
  for await (const _ of consumer.outstanding()) open++;
  return open;
}

/** Removes what Brokers know of Triggers that are not there any more. */
export async function sweepConsumers(
  stream: LogStream,
  isThere: (triggerUid: string) => boolean,
): Promise<void> {
  for (const name of await stream.consumers()) {
    const isGone = name.startsWith(consumers) && !isThere(name.slice(consumers.length));
    if (isGone) await stream.removeConsumer(name);
  }
}

function beginMs({ metadata, spec }: TriggerObject): number {
  const { from = 'newest' } = spec.source.broker ?? {};
  if (from === 'oldest') return 0;
  return Date.parse(from === 'newest' ? (metadata.creationTimestamp ?? '') : from);
}
