/** What became of events since the start. */
export interface DeliveryCounts {
  /** The target took them. */
  delivered: number;
  /** Requests that failed. */
  failed: number;
  /** Given up: they are dead letters now. */
  dead: number;
  /** A newer event of their key came. */
  superseded: number;
  /** The consumer does not want them. */
  skipped: number;
  /** The stream let them go before they were delivered. */
  lost: number;
}

export function noCounts(): DeliveryCounts {
  return { delivered: 0, failed: 0, dead: 0, superseded: 0, skipped: 0, lost: 0 };
}
