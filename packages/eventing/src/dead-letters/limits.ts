/** Every bound of dead letters and its reason. */
export const limits = {
  /** How long a letter is known, so that a crash between keeping it and settling makes no second. */
  dedupeMs: 3_600_000,
  /** Letters that one step looks at, and their bytes: they are in memory together. */
  stepRecords: 256,
  stepBytes: 1_048_576,
  /** Events that are replayed in one append. */
  replayEventsMax: 64,
} as const;
