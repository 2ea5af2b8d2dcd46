/** Every bound of messages of NATS and its reason. */
export const natsLimits = {
  /** A server that does not let one in within this does not answer. */
  connectMs: 5_000,
  /** Between two tries to get back to a server: servers restart within seconds. */
  reconnectMs: 1_000,
  /** While a server is gone, how often it is looked at why, and whether the Secret is another. */
  lookMs: 5_000,
  /** Messages that came and are not kept yet: what a second of bursts brings. */
  waitingMax: 4_096,
  /** Bytes of them; a message of NATS has 1 MiB at most unless its server says otherwise. */
  waitingBytesMax: 67_108_864,
  /** How many messages a stream hands out that are not acknowledged; less than `waitingMax`. */
  unacknowledgedMax: 1_024,
  /** How often it is asked what waits at the server. */
  lagMs: 15_000,
} as const;
