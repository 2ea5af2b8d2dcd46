/**
 * Where a consumer group begins to read its topics, and what it has missed of them.
 *
 * I1. With the newest it begins once: what a topic held then does not come, and all that comes
 *     later does. A group that has read nothing of a partition has no offset there, and would begin
 *     anew with each start; so where it begins is committed at once.
 * I2. Topics and partitions that are made later are read from their beginning.
 * I3. Another cluster is another place: a topic of the same name there is no new making of this
 *     one, and the group begins with it as with any other, or goes on where it was there.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Consumer } from '@platformatic/kafka';
import {
  formatMakings,
  isRemade,
  type PlaceMakings,
  parseMakings,
  seeMaking,
} from '../place-makings.ts';
import type { Checkpoint, SourceHappening } from '../source.ts';
import type { KafkaTopics } from './kafka-topics.ts';
import { listEnds, listStarts, type TopicOffsets } from './topic-offsets.ts';

/** Which topics a group has begun with. */
export interface KafkaBeginning {
  readonly group: string;
  /** Of the brokers; `undefined` where it was written before clusters were told apart. */
  readonly cluster: string | undefined;
  readonly topics: readonly string[];
}

/** `undefined` for what was not written as such. */
export function parseBeginning(value: JsonObject | undefined): KafkaBeginning | undefined {
  const { kafka } = value ?? {};
  if (!isJsonObject(kafka) || !Array.isArray(kafka.topics)) return undefined;
  const { group, cluster, topics } = kafka;
  if (typeof group !== 'string') return undefined;
  return {
    group,
    cluster: typeof cluster === 'string' ? cluster : undefined,
    topics: topics.filter((topic) => typeof topic === 'string'),
  };
}

export interface KafkaBeginningOptions {
  readonly consumer: Consumer;
  /** Which cluster its brokers are. */
  readonly cluster: string;
  /** Those of the topics that there are. */
  readonly found: KafkaTopics;
  readonly group: string;
  readonly topics: readonly string[];
  readonly from: 'oldest' | 'newest';
  readonly checkpoint: Checkpoint;
  readonly tell: (happening: SourceHappening) => void;
}

/**
 * Joins the group, and begins with the topics that it has not begun with. From then on whatever
 * has no offset is to be read from its beginning. Returns which makings of the topics were seen.
 */
export async function beginKafkaTopics(options: KafkaBeginningOptions): Promise<PlaceMakings> {
  const { consumer, cluster, found, group, topics, from, checkpoint, tell } = options;
  const written = await checkpoint.load();
  const beginning = parseBeginning(written);
  const isSameCluster = (beginning?.cluster ?? cluster) === cluster;
  const begun = isSameCluster && beginning?.group === group ? beginning.topics : [];
  const before = parseMakings(written?.topics);
  let makings = before;
  const save = (all: readonly string[]): Promise<void> =>
    checkpoint.save({
      kafka: { group, cluster, topics: [...all] },
      topics: formatMakings(makings),
    });
  const there = [...found.keys()];
  for (const [topic, { id }] of found) {
    if (isSameCluster && isRemade(before, topic, id)) tell(topicReplaced(topic));
    makings = seeMaking(makings, topic, id);
  }
  const fresh = from === 'newest' ? topics.filter((topic) => !begun.includes(topic)) : [];
  const missing = fresh.filter((topic) => !there.includes(topic));
  if (missing.length > 0) await save([...begun, ...missing]);
  // Offsets are taken from members only, of partitions of others, too.
  consumer.topics.trackAll(...topics);
  await consumer.joinGroup({});
  const begins = there.filter((topic) => fresh.includes(topic));
  if (begins.length > 0) await commitEnds(consumer, begins);
  const goesOn = there.filter((topic) => !begins.includes(topic));
  if (goesOn.length > 0) await tellExpired(consumer, goesOn, tell);
  await save([...begun, ...fresh]);
  return makings;
}

function topicReplaced(topic: string): SourceHappening {
  const message = `Topic "${topic}" was deleted and made anew: it is read from its beginning`;
  return { reason: 'TopicReplaced', message };
}

/** Of each partition that the group has read nothing of. */
async function commitEnds(consumer: Consumer, topics: readonly string[]): Promise<void> {
  const ends = await listEnds(consumer, topics);
  const offsets = ends
    .filter(({ committed }) => committed < 0n)
    .map(({ topic, partition, offset }) => ({ topic, partition, offset, leaderEpoch: -1 }));
  if (offsets.length > 0) await consumer.commit({ offsets });
}

/** What brokers have dropped that the group has not read is passed over; somebody should know. */
async function tellExpired(
  consumer: Consumer,
  topics: readonly string[],
  tell: KafkaBeginningOptions['tell'],
): Promise<void> {
  const starts = await listStarts(consumer, topics);
  for (const topic of topics) {
    const count = countExpired(starts.filter((each) => each.topic === topic));
    if (count === 0n) continue;
    const message =
      `Kafka has dropped what topic "${topic}" held at ${count} offsets, after its retention, ` +
      'before it was read';
    tell({ reason: 'RecordsExpired', message });
  }
}

function countExpired(starts: readonly TopicOffsets[]): bigint {
  return starts
    .filter(({ committed, offset }) => committed >= 0n && committed < offset)
    .reduce((sum, { committed, offset }) => sum + offset - committed, 0n);
}
