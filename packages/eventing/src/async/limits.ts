/** Every bound of asynchronous calls and its reason. A caller may replace single values. */
export interface AsyncLimits {
  /** How much of the body of an answer is kept. */
  readonly answerBytesMax: number;
  /** Calls of one Function that are not over; then 429. */
  readonly queuedPerFunctionMax: number;
  /** Calls that are not over; then 503. */
  readonly queuedMax: number;
  /** What all calls and their answers take; then those that are over go first, then 503. */
  readonly bytesMax: number;
  /** Calls that are over and kept; then those that have been for longest go. */
  readonly finishedMax: number;
  /** How long a call that is over is kept with its answer. */
  readonly keptMs: number;
  /** Calls of one Function in flight at once, where it answers well. */
  readonly inFlightPerFunctionMax: number;
  /** Calls in flight at once. */
  readonly inFlightMax: number;
  /** What the requests in flight take together; one more may always begin. */
  readonly inFlightBytesMax: number;
  /** How often a call is tried, where its caller does not say. */
  readonly attempts: number;
  /** How often at most. */
  readonly attemptsMax: number;
  /** How long after it was accepted a call may be tried, where its caller does not say. */
  readonly lifetimeMs: number;
  /** How long at most. */
  readonly lifetimeMaxMs: number;
  /** The wait after the first failure; it doubles with each. */
  readonly retryBaseMs: number;
  /** No wait is longer, unless the Function asks for it by Retry-After. */
  readonly retryCapMs: number;
  /** How long at most nothing is tried of a Function, or a server, that cannot be reached. */
  readonly pauseCapMs: number;
  /** What a Function may ask for. */
  readonly retryAfterMaxMs: number;
  /** How often the answer is sent to a callback URL. */
  readonly callbackAttempts: number;
  /** How long one such try may take. */
  readonly callbackTimeoutMs: number;
  /** Longest callback URL and longest idempotency key, in characters. */
  readonly headerCharactersMax: number;
  /** How long a stop waits for calls in flight. */
  readonly graceMs: number;
  /** How long a write that did not fit on the disk waits until it is tried again. */
  readonly diskRetryMs: number;
}

const defaults: AsyncLimits = {
  // Base64 and a place in memory per call in flight; whoever answers more answers with a link.
  answerBytesMax: 256 * 1024,
  queuedPerFunctionMax: 10_000,
  // About 1 KB of memory each, most of it the keys of the store.
  queuedMax: 50_000,
  bytesMax: 512 * 1024 * 1024,
  finishedMax: 10_000,
  keptMs: 24 * 3_600_000,
  // As many Instances as a Function has by default, each with a call.
  inFlightPerFunctionMax: 100,
  // Functions that hang soon have one each; until then ten of them leave room for the others.
  inFlightMax: 1_000,
  inFlightBytesMax: 64 * 1024 * 1024,
  attempts: 5,
  attemptsMax: 20,
  // As long as AWS Lambda keeps events; a day is enough for a night's outage.
  lifetimeMs: 6 * 3_600_000,
  lifetimeMaxMs: 24 * 3_600_000,
  retryBaseMs: 1_000,
  retryCapMs: 300_000,
  // One try each tells enough, and nobody wants to wait longer once it is back.
  pauseCapMs: 30_000,
  retryAfterMaxMs: 3_600_000,
  // Over about half an hour.
  callbackAttempts: 10,
  callbackTimeoutMs: 15_000,
  headerCharactersMax: 2_048,
  // As long as the Gateway waits for other calls.
  graceMs: 5_000,
  diskRetryMs: 1_000,
};

/** The limits with what `overrides` replaces. */
export function resolveAsyncLimits(overrides: Partial<AsyncLimits> = {}): AsyncLimits {
  return { ...defaults, ...overrides };
}
