/** Every bound of Brokers and its reason. */
export const brokerLimits = {
  /** Brokers looked at at once: each waits for a write of its status at most. */
  workers: 4,
  /** How long ids are known: longer than senders try again after an answer that was lost. */
  dedupeMs: 600_000,
  /** One request: a batch of a thousand events of some size; it is held in memory. */
  bodyBytesMax: 4_194_304,
  /** Between two looks at what a Broker keeps: its status is for people. */
  lookMs: 10_000,
  /** How often an event may lead to another one: beyond it, they lead to each other. */
  hopsMax: 255,
} as const;
