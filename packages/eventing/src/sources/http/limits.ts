/** Every bound of events over HTTP and its reason. */
export const httpEventLimits = {
  /** One request: a batch of a thousand events of some size; it is held in memory. */
  bodyBytesMax: 4_194_304,
  /** How long a request waits for a source that is being started: GitHub waits ten seconds. */
  startMs: 5_000,
  /** How long a request waits for room among the events that are kept. */
  acceptMs: 5_000,
  /** How long the value of a Secret is believed: each request would have it read. */
  secretMs: 5_000,
  /** Lines of a Secret that are secrets: an old and a new one, and some that were forgotten. */
  secretsMax: 8,
  /** How often a Secret that is missing is read for requests: anybody may send one. */
  missingSecretMs: 1_000,
} as const;
