/** What the Gateway measured for one Revision at one moment. */
export interface Demand {
  /** Calls being answered by Instances now. */
  readonly inFlight: number;
  /** Calls parked until an Instance has room. */
  readonly queued: number;
  /** Calls that ever arrived; grows only. */
  readonly arrivals: number;
  /** When a call last was in flight or queued, in milliseconds since the epoch. */
  readonly lastActiveMs: number;
}
