/** How delivery is. */
export interface DeliveryState {
  /** Events that are kept and not settled. */
  readonly lag: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** Events that were tried and are not settled. */
  readonly retrying: number;
  /** Requests that failed since one did not. */
  readonly failures: number;
  /** What the last of these came to. */
  readonly lastFailure: string | undefined;
  /** When the newest event came that was looked at. */
  readonly lastEventMs: number | undefined;
  /** When an event was last delivered. */
  readonly lastDeliveryMs: number | undefined;
  readonly circuit: 'closed' | 'open' | 'probing';
}
