/**
 * Delivers dead letters to the sink that a Trigger names, by the policy of that Trigger. A letter
 * that the sink does not take either stays where it is.
 */
import type { ResolvedDelivery } from '@fnlet/api';
import { Delivery } from '../delivery/delivery.ts';
import type { DeliveryOptions } from '../delivery/delivery-options.ts';
import type { GivenUpEvent } from '../delivery/given-up-event.ts';
import type { DeadLetters } from './dead-letters.ts';

export interface DeadLetterSinkOptions
  extends Pick<DeliveryOptions, 'owner' | 'target' | 'slots' | 'clock' | 'random' | 'logger'> {
  readonly letters: DeadLetters;
  readonly policy: ResolvedDelivery;
  /** Told of each letter that the sink does not take. */
  readonly onRefused: (letter: GivenUpEvent) => void;
}

const consumerName = 'sink';

/** What delivers the letters that come from now on; those that were there before stay. */
export async function openDeadLetterSink(options: DeadLetterSinkOptions): Promise<Delivery> {
  const { letters, policy, onRefused, ...parts } = options;
  const { stream } = letters;
  const isKnown = (await stream.consumers()).includes(consumerName);
  const consumer = await stream.consumer(consumerName);
  if (!isKnown) await consumer.commit({ cursor: (await stream.size()).last });
  return new Delivery({
    ...parts,
    stream,
    consumer,
    policy: { ...policy, orderingKey: undefined, coalesce: false, batch: { size: 1, waitMs: 0 } },
    // What stays is what the sink did not take.
    removes: false,
    onDelivered: (_answer, sequences) => stream.remove(sequences),
    giveUp: async (letter) => onRefused(letter),
  });
}
