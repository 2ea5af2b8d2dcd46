/** What the Gateway measured for one Revision at one moment. */
export interface Demand {
  /** Calls being answered by Instances now. */
  readonly inFlight: number;
  /** Calls parked until an Instance has room. */
  readonly queued: number;
  /** Calls that ever arrived; grows only. */
  readonly arrivals: number;
  /**
   * Concurrency summed over time, in calls times milliseconds; grows only. The difference of two
   * measurements by the time between them is the exact average concurrency, however short the calls
   * were. Calls in flight count, and calls that wait although there is an Instance; calls that wait
   * for the first one do not, because they say nothing about how many they will keep busy.
   */
  readonly concurrencyMs: number;
  /** When a call last was in flight or queued, in milliseconds since the epoch. */
  readonly lastActiveMs: number;
}
