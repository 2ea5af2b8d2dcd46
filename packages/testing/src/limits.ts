/** Bounds of the test kit. */
export const limits = {
  /** A test that writes more than this is a load test; the oldest entries go. */
  journalMax: 10_000,
  /** Fault rules at one time: far more than a test can reason about. */
  faultsMax: 1000,
  /** Turns of the event loop without a change after which a cluster counts as settled. */
  settledTurns: 8,
  /** Turns after which `settle()` gives up; 3 000 dependents of one owner are gone in fifty. */
  settleTurnsMax: 2_000,
  /** Timers that fire in one `advance()`: one a second for a day. */
  timersMax: 86_400,
  /** How far time moves at once while operators end. */
  closeStepMs: 1_000,
  /** Turns until a new definition must be served; it takes a handful. */
  establishedTurnsMax: 10_000,
} as const;
