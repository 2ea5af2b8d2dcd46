import { hasCode } from '@fnlet/base';
import type { Consumer } from '@platformatic/kafka';

/** A topic as its brokers have it. */
export interface KafkaTopic {
  /** One that was deleted and made anew has another. */
  readonly id: string;
  readonly partitions: number;
}

export type KafkaTopics = ReadonlyMap<string, KafkaTopic>;

/** Tells the cluster of the brokers from others: whoever names other brokers may mean the same. */
export async function findKafkaCluster(consumer: Consumer): Promise<string> {
  return (await consumer.metadata({ topics: [] })).id;
}

/** Those of the topics that there are. */
export async function findKafkaTopics(
  consumer: Consumer,
  names: readonly string[],
): Promise<KafkaTopics> {
  const topics = new Map<string, KafkaTopic>();
  for (const name of names) {
    const topic = await findTopic(consumer, name);
    if (topic !== undefined) topics.set(name, topic);
  }
  return topics;
}

async function findTopic(consumer: Consumer, name: string): Promise<KafkaTopic | undefined> {
  try {
    const found = (await consumer.metadata({ topics: [name] })).topics.get(name);
    return found && { id: found.id, partitions: found.partitionsCount };
  } catch (error) {
    // What it says of a topic that is not there; of anything else it says something else.
    if (hasCode(error, 'PLT_KFK_USER')) return undefined;
    throw error;
  }
}

/** Whether what was shared out of the one is all that there is of the other. */
export function isSameLayout(one: KafkaTopics, other: KafkaTopics): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, { id, partitions }]) => {
      const found = other.get(name);
      return found?.id === id && found.partitions === partitions;
    })
  );
}
