/** Every bound of records of Kinesis and its reason. */
export const kinesisLimits = {
  /** A request that is not answered within this is not answered: the largest answer takes seconds. */
  requestMs: 15_000,
  /** Bytes of an answer: 10 MB of records as Kinesis bounds them, in Base64, and what names them. */
  answerBytesMax: 20_971_520,
  /** Tries of a request that nobody answers, before the source is started anew. */
  triesMax: 3,
  retryBaseMs: 250,
  /** The wait of a shard that is read too often, by us or by others; it doubles, and is bounded. */
  throttledBaseMs: 500,
  throttledCapMs: 10_000,
  /** So many refusals of a shard in a row are told in the status: others read it, too. */
  throttledTold: 5,
  /** Between two reads of a shard that has more: it allows five a second, to all who read it. */
  readMs: 250,
  /** Between two reads of a shard that has nothing: four others may read it as often. */
  idleMs: 1_000,
  /** Records of one read; a shard takes a thousand a second, so this catches up all the same. */
  recordsMax: 2_000,
  /** Answers that are in memory at once, of all shards of a Trigger. */
  answersMax: 4,
  /** How often it is looked whether there are other shards, while none has ended. */
  listMs: 30_000,
  /** The same while a shard has ended whose children are not listed yet. */
  listSoonMs: 1_000,
  /** Shards of one page of a list. */
  pageMax: 1_000,
  /** Shards of one stream: their places are one record of the log. */
  shardsMax: 5_000,
  /** How often places are written: what a crash repeats is known by its ids. */
  saveMs: 1_000,
  /** A difference of clocks beyond this is minded when a signature is refused. */
  skewMs: 60_000,
} as const;
