/**
 * Where a consumer group begins that reads the newest records.
 *
 * I1. It begins once: what a topic held then does not come, and all that comes later does. A group
 *     that has read nothing of a partition has no offset there, and would begin anew with each
 *     start; so where it begins is committed at once.
 * I2. Topics and partitions that are made later are read from their beginning.
 */
import { hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import type { Consumer } from '@platformatic/kafka';
import type { Checkpoint } from '../source.ts';

/** Which topics a group has begun with. */
export interface KafkaBeginning {
  readonly group: string;
  readonly topics: readonly string[];
}

/** `undefined` for what was not written as such, or by another group. */
export function parseBeginning(
  value: JsonObject | undefined,
  group: string,
): KafkaBeginning | undefined {
  const { kafka } = value ?? {};
  if (!isJsonObject(kafka) || kafka.group !== group || !Array.isArray(kafka.topics)) {
    return undefined;
  }
  return { group, topics: kafka.topics.filter((topic) => typeof topic === 'string') };
}

export interface KafkaBeginningOptions {
  readonly consumer: Consumer;
  readonly group: string;
  readonly topics: readonly string[];
  readonly checkpoint: Checkpoint;
}

/**
 * Joins the group, and begins with the topics that it has not begun with. From then on whatever
 * has no offset is to be read from its beginning.
 */
export async function beginKafkaTopics(options: KafkaBeginningOptions): Promise<void> {
  const { consumer, group, topics, checkpoint } = options;
  const begun = parseBeginning(await checkpoint.load(), group)?.topics ?? [];
  const fresh = topics.filter((topic) => !begun.includes(topic));
  const keep = (more: readonly string[]): Promise<void> =>
    checkpoint.save({ kafka: { group, topics: [...begun, ...more] } });
  const there: string[] = [];
  for (const topic of fresh) if (await isThere(consumer, topic)) there.push(topic);
  const missing = fresh.filter((topic) => !there.includes(topic));
  if (missing.length > 0) await keep(missing);
  // Offsets are taken from members only, of partitions of others, too.
  consumer.topics.trackAll(...topics);
  await consumer.joinGroup({});
  if (there.length === 0) return;
  await commitEnds(consumer, there);
  await keep(fresh);
}

async function isThere(consumer: Consumer, topic: string): Promise<boolean> {
  try {
    await consumer.metadata({ topics: [topic] });
    return true;
  } catch (error) {
    // What it says of a topic that is not there; of anything else it says something else.
    if (hasCode(error, 'PLT_KFK_USER')) return false;
    throw error;
  }
}

/** Of each partition that the group has read nothing of. */
async function commitEnds(consumer: Consumer, topics: readonly string[]): Promise<void> {
  const ends = await consumer.listOffsets({ topics: [...topics] });
  const partitionsOf = (topic: string): number[] => [...(ends.get(topic)?.keys() ?? [])];
  const asked = topics.map((topic) => ({ topic, partitions: partitionsOf(topic) }));
  const committed = await consumer.listCommittedOffsets({ topics: asked });
  const offsets = asked.flatMap(({ topic, partitions }) =>
    partitions
      .filter((partition) => (committed.get(topic)?.[partition] ?? -1n) < 0n)
      .map((partition) => {
        const offset = ends.get(topic)?.[partition] ?? 0n;
        return { topic, partition, offset, leaderEpoch: -1 };
      }),
  );
  if (offsets.length > 0) await consumer.commit({ offsets });
}
