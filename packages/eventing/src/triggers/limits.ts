/** Every bound of Triggers that deliver events, and its reason. */
export const triggerLimits = {
  /** How long ids are known: longer than it takes another replica to take a source over. */
  dedupeMs: 600_000,
  /** Events of one Trigger that wait; then its source waits, too. A million is an hour of many. */
  pendingMax: 1_000_000,
  /** Bytes of one event: what a log takes. */
  eventBytesMax: 1_000_000,
  /** Events and bytes of one append: others wait for it. */
  appendEntriesMax: 1_000,
  appendBytesMax: 4_194_304,
  /** How long a source waits until there may be room again. */
  roomRetryMs: 1_000,
  /** Between two writes of a status: it tells people, and they do not read faster. */
  statusMs: 5_000,
  /**
   * Of statuses that say nothing but other numbers, of all Triggers together, and how many of them
   * may come at once: each is a write to the API, which takes as long as a hundred events.
   */
  numbersPerSecond: 10,
  numbersBurst: 10,
  /** The wait before a source that failed is started again; it doubles, and is bounded. */
  restartBaseMs: 1_000,
  restartCapMs: 60_000,
  /** A part that ran so long did not fail in a row. */
  steadyMs: 60_000,
  /** What is kept of the answer of a target: a reply event, or the reason of a failure. */
  answerBytesMax: 262_144,
  /** How long one replay of dead letters goes on before whoever wants it asks again. */
  replayMs: 20_000,
  /** What is told of the answer of who does not take an event that is replayed. */
  saidBytesMax: 256,
  /** So many events a second, accepted or sent, are many: the garbage of fewer costs little. */
  busyPerSecond: 500,
  /** So long it has to be fewer until they are not many any more. */
  quietSeconds: 10,
  /** How long a try may take where neither the Trigger nor the Function says. */
  timeoutMs: 30_000,
} as const;
