/** Every bound of what people see of events as they come, and its reason. */
export const tailLimits = {
  /** Who watches at once: people, and each costs a line for each event. */
  watchersMax: 32,
  /** What waits for one who reads slowly; more is left out, and it is told how much. */
  waitingMax: 10_000,
  waitingBytesMax: 4_194_304,
  /** What is told of what happened before: a few pages. */
  historyMax: 1_000,
  /** One read of a stream. */
  readRecords: 256,
  readBytes: 1_048_576,
} as const;
