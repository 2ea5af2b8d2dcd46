/** The bounds of the log, each with its reason. */
export const limits = {
  /**
   * Bytes of one payload. NATS takes messages of 1 MiB unless its server is told otherwise, and
   * ours carry a header. What is kept of an event may have 1 000 000; the rest is for what is added
   * to it later: why it was given up, and how often it was replayed.
   */
  payloadBytesMax: 1_040_000,
  /** Bytes of a key in UTF-8: a key is a subject or an id, and is kept in every record. */
  keyBytesMax: 4_096,
  /** Entries of one append: it is one transaction, and others wait for it. */
  appendEntriesMax: 4_096,
  /** Bytes of all payloads of one append, for the same reason. */
  appendBytesMax: 16_777_216,
  /** What waits for the running flush; at 20 000 the disk is a second behind. */
  pendingOperationsMax: 20_000,
  /** Bytes that wait for the running flush: they are memory. */
  pendingBytesMax: 67_108_864,
  /** Rows written by one flush: what follows waits for the next, so that a flush stays short. */
  flushRowsMax: 4_096,
  /** Bytes written by one flush, for the same reason. */
  flushBytesMax: 8_388_608,
  /** Rows dropped by one flush for retention, a trim or a removed stream: some 5 ms. */
  dropRowsMax: 1_024,
  /** Records of one read, so that one turn of the loop stays below 20 ms. */
  readRecordsMax: 4_096,
  /** Bytes of one read: they are memory. */
  readBytesMax: 8_388_608,
  /**
   * Bytes of commits in memory that start to go to the tables: of 1 kB records of 100 streams, 20
   * each, which fill a page. There may be two and a half times as many.
   */
  journalBytes: 2_097_152,
  /** Of a row of the journal: two fill a page, and none needs pages of its own. */
  journalChunkBytes: 8_128,
  /**
   * Bytes of the disk that are kept for dropping records when it is full, which needs new pages:
   * what is in the journal goes to the tables then, and records at random places from them.
   */
  spareBytes: 8_388_608,
  /** How long what exceeds an age may stay: one look at each stream with such a bound. */
  sweepMs: 10_000,
  /**
   * Addresses that the file is mapped at, not memory: the log would have to be mapped anew beyond,
   * with what was read through the old map still in it.
   */
  mapBytes: 68_719_476_736,
  /** Bytes read and written until the file is mapped anew: they count as memory until then. */
  mappedBytesMax: 67_108_864,
  /** Of a page: 1 kB records fill 88 % of it; of LMDB's usual 4 kB, half. */
  pageBytes: 16_384,
} as const;
