/**
 * Decides which of several processes acts. A process alone needs none: without it, a Manager leads
 * from its start to its end.
 */
export interface LeaderElection {
  /** Whether this process leads now, as far as it can be sure. */
  readonly isLeader: boolean;
  /**
   * Takes part until `signal` aborts. Each time this process has won, it calls `lead`, whose signal
   * aborts as soon as leadership is lost, is no longer certain, or `signal` aborts. Leadership is
   * given up by own will only after `lead` has returned, so that no two ever act at once; after a
   * loss it may be won, and `lead` be called, again.
   */
  run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void>;
}
