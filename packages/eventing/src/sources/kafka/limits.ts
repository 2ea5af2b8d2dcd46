/** Every bound of records of Kafka and its reason. */
export const kafkaLimits = {
  /** A broker that does not answer within this does not answer. */
  connectMs: 5_000,
  /** Tries of a request, and of each part of it, before the source is started anew. */
  retries: 3,
  retryMs: 200,
  /** Records that are taken together: one write of the log. */
  batchMax: 512,
  /** Records that wait to be taken, of 1 MB in the worst case; more are fetched when there are fewer. */
  waitingMax: 64,
  /** Bytes that a broker brings at a time, of all partitions and of one: many small records. */
  answerBytesMax: 16_777_216,
  partitionBytesMax: 1_048_576,
  /** How long a broker holds a request for records that are not there yet. */
  waitMs: 500,
  /** Without a sign of life for so long, a member's partitions go to others. */
  sessionMs: 15_000,
  heartbeatMs: 3_000,
  /** How often it is asked what waits at the brokers. */
  lagMs: 15_000,
} as const;
