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
  /** The same of calls in flight alone; grows only. */
  readonly busyMs: number;
  /** Calls that Instances have answered in full; grows only. */
  readonly served: number;
  /** How long those were in flight, together, in milliseconds; grows only. */
  readonly servedMs: number;
  /** When a call last was in flight or queued, in milliseconds since the epoch. */
  readonly lastActiveMs: number;
}
