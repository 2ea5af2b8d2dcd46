/** Every bound of the room and its reason. */
export const limits = {
  /** Triggers looked at at once: each waits for one write of its status at most. */
  workers: 8,
  /** Conflicts told in one message: more are the same mistake again. */
  conflictsToldMax: 3,
  /** How long nobody looks at the end of a certificate: timers of Node know no month. */
  certificateLookMs: 86_400_000,
} as const;
