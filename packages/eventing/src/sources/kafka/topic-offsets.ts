import type { Consumer } from '@platformatic/kafka';

/** An offset of a partition, and the one that the group of a consumer has committed there. */
export interface TopicOffsets {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** Less than 0 where there is none. */
  readonly committed: bigint;
}

/** As `ListOffsetTimestamps` of the library has them, which is loaded with the first source. */
const [latest, earliest] = [-1n, -2n] as const;

/** Behind the last record of each partition. */
export function listEnds(
  consumer: Consumer,
  topics: readonly string[],
): Promise<readonly TopicOffsets[]> {
  return list(consumer, topics, latest);
}

/** The first record of each partition that is still there. */
export function listStarts(
  consumer: Consumer,
  topics: readonly string[],
): Promise<readonly TopicOffsets[]> {
  return list(consumer, topics, earliest);
}

async function list(
  consumer: Consumer,
  topics: readonly string[],
  timestamp: bigint,
): Promise<readonly TopicOffsets[]> {
  const found = await consumer.listOffsets({ topics: [...topics], timestamp });
  const partitionsOf = (topic: string): number[] => [...(found.get(topic)?.keys() ?? [])];
  const asked = topics.map((topic) => ({ topic, partitions: partitionsOf(topic) }));
  const committed = await consumer.listCommittedOffsets({ topics: asked });
  return asked.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => ({
      topic,
      partition,
      offset: found.get(topic)?.[partition] ?? 0n,
      committed: committed.get(topic)?.[partition] ?? -1n,
    })),
  );
}
