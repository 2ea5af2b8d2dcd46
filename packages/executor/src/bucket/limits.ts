/** Every bound of this folder, each with its reason. Times are milliseconds, sizes bytes. */
export const bucketLimits = {
  /** Servers that slow callers down want to be left alone for seconds; a wake cannot wait longer. */
  triesMax: 4,
  retry: { baseMs: 200, capMs: 5_000, jitter: 0.5 },
  /** A server that says nothing for so long is gone. */
  silenceMs: 30_000,
  /** Connections to the server: what is kept and brought back at once. */
  connectionsMax: 8,
  /** One answer that lists or explains: a thousand keys take 300 kB. */
  answerBytesMax: 4_194_304,
  /** The most keys of one answer, as S3 has it. */
  keysPerPage: 1_000,
  /** Archives that are brought back: packed packages, as Pods bring them. */
  archiveBytesMax: 1_073_741_824,
  /** Locks are texts of package managers. */
  lockBytesMax: 16_777_216,
  /** What is kept at the same time, beside what wakes and serves. */
  keepsAtOnce: 2,
  /** What waits to be kept; the rest is kept when it is needed the next time. */
  keepsWaitingMax: 1_000,
  /** Names of what is known to be kept: each is a line of text. */
  keptNamesMax: 50_000,
  /** Between two sweeps: listing ten thousand artifacts is ten requests. */
  sweepMs: 3_600_000,
  /** What is newer is not swept: a Revision may be on its way, and clocks differ. */
  sweptAfterMs: 86_400_000,
} as const;
