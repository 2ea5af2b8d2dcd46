/** Every bound of a try and its reason. */
export const targetLimits = {
  /** What is kept of the body of an answer: a reply is an event, with the bounds of events. */
  replyBytesMax: 1_000_000,
  /** What is told of an answer in a status: a message of a framework, not its page. */
  saidBytesMax: 256,
  /** What finding out whom an event concerns may cost, in steps of CEL: some milliseconds. */
  keyCostMax: 100_000,
  /** Longer than Functions may take; theirs is what counts. */
  functionTimeoutMs: 3_600_000,
  /** As proxies have it. */
  urlTimeoutMs: 30_000,
} as const;
