/**
 * Who leads a group shares out the partitions of all topics that its members read, also of those
 * that it does not read itself: Triggers, and programs of others, may share a group and have other
 * topics. Of these the library knows nothing, and shares its own topics among members that do not
 * read them.
 *
 * I1. What members read is known when they have joined, and how many partitions that has only when
 *     brokers are asked: so the leader joins once more when it has learned of others.
 */
import type { GroupAssignment, GroupPartitionsAssigner } from '@platformatic/kafka';
import { isSameLayout, type KafkaTopics } from './kafka-topics.ts';
import { sharePartitions } from './share-partitions.ts';

export class TopicShares {
  /** As the library asks for it. */
  readonly assign: GroupPartitionsAssigner;
  #own: KafkaTopics = new Map();
  #others: KafkaTopics = new Map();
  #otherNames: readonly string[] = [];
  #isShared = true;

  constructor() {
    this.assign = (_own, members) => {
      const topicsOf = new Map([...members].map(([id, { topics = [] }]) => [id, topics]));
      this.#otherNames = [...new Set([...topicsOf.values()].flat())]
        .filter((topic) => !this.#own.has(topic))
        .sort();
      const known = [...this.#own, ...this.#others];
      const counts = new Map(known.map(([topic, { partitions }]) => [topic, partitions]));
      return [...sharePartitions(topicsOf, counts)].map(([memberId, share]) => {
        const assignments = new Map<string, GroupAssignment>();
        for (const [topic, partitions] of share) {
          assignments.set(topic, { topic, partitions: [...partitions] });
        }
        return { memberId, assignments };
      });
    };
  }

  /** The topics that are read here. */
  set own(topics: KafkaTopics) {
    this.#own = topics;
  }

  /** The topics that only others read. */
  get otherNames(): readonly string[] {
    return this.#otherNames;
  }

  /**
   * Takes what brokers say of these. Returns whether that is something else than what was shared,
   * until the group was joined once more (I1): where that fails it is to be tried again.
   */
  learn(others: KafkaTopics): boolean {
    if (!isSameLayout(others, this.#others)) this.#isShared = others.size === 0;
    this.#others = others;
    return !this.#isShared;
  }

  /** The group was joined with what was learned. */
  shared(): void {
    this.#isShared = true;
  }
}
