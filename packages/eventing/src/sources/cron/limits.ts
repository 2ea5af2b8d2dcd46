/** Every bound of schedules and its reason. */
export const cronLimits = {
  /** Later than this a time was missed, though somebody looked: longer than a busy process takes. */
  lateMs: 10_000,
  /** Events that are made in one go; more follow as soon as these are durable. */
  firesMax: 100,
} as const;
