/** The bounds of a log in JetStream, each with its reason. */
export const limits = {
  /** Entries of one message; the place of one is that of its message times this, plus its own. */
  messageEntriesMax: 4_096,
  /** Left of a message for its headers and the frame of its entries. */
  frameBytesMax: 1_024,
  /** How long one answer is waited for. A server that flushes every message needs milliseconds. */
  answerMsMax: 5_000,
  /** How long the server may be away before an append gives up: a restart takes seconds. */
  unansweredMsMax: 30_000,
  /** Between two tries: a server that starts is asked often enough, one that is away seldom. */
  retryMs: 100,
  /** Changes of a consumer before they are written as one: as many are read when it is opened. */
  consumerChangesMax: 256,
  /** Records of one step of retention, a trim or a removal. */
  stepRecordsMax: 1_000,
  /** Looks at the last message again when another process was faster, before giving up. */
  conflictsMax: 100,
} as const;
