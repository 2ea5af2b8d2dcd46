/** The bounds of this room, each with its reason. Times are milliseconds. */
export const limits = {
  /** Functions that are reconciled at once; each run is a few API calls. */
  workers: 4,
  /** Filters in one list of a Trigger, as its kind bounds them. */
  filtersPerListMax: 16,
  /** Revisions kept beside the one that serves, to go back to; older ones are deleted. */
  oldRevisionsMax: 5,
  /**
   * How long calls in flight may go on when an Instance has to go, at least; for one whose calls
   * may take longer it is as long as that. Kubernetes' grace period.
   */
  drainMs: 30_000,
  /** What is left to an Instance whose calls have had that time: it is asked to end, not killed. */
  overdueMs: 100,
  /** A day: renewed after half of it, so that a machine that slept over night is not too late. */
  accountTokenSeconds: 86_400,
  /** Nobody watches ServiceAccounts: a Function that misses its own looks again so soon. */
  accountLookMs: 5_000,
  /** How long a call may wait for an Instance, on top of its own timeout. */
  wakeMs: 10_000,
  /** Between two looks at awake Revisions; as often as Knative (tick-interval 2 s), halved. */
  tickMs: 1_000,
  /** Calls that wait are looked at so soon, together: a burst is one decision. */
  demandMs: 50,
  /** A rollout that is faster is not worth a status that says it has begun. */
  quickRolloutMs: 100,
  /** Changes of Instances are collected for so long before the status is written. */
  instancesMs: 200,
  /** Progress of an installation is shown at most so often. */
  progressMs: 1_000,
  /** Between a Revision's deletion and the sweep of its artifact: many go together. */
  sweepMs: 60_000,
  /** Between two looks at a canary: one that fails is found out so soon. */
  canaryCheckMs: 1_000,
  /** A look at one is a few additions; what it decides is an assignment. */
  canaryChecksMax: 4,
  /**
   * A Revision that calls moved to keeps the Instances that it got for them for so long: then a
   * stable window of its own demand says how many it needs.
   */
  shiftHoldMs: 60_000,
  /** Servers of sources that are asked at once; the programs for that are mostly waiting. */
  sourceChecksMax: 4,
  /** One question: a download of an archive may be one. */
  sourceCheckMs: 660_000,
  /** After a start, functions come first; then the servers, spread over this time. */
  sourceRestMs: 2_000,
  sourceFirstCheckMs: 60_000,
  /** Between two readings of what Instances use, as a HorizontalPodAutoscaler (sync period). */
  usageMs: 15_000,
  /** Between two questions for a number that a Function scales by; one question; its answer. */
  metricMs: 15_000,
  scalingCheckMs: 10_000,
  /** How long a server may take for it: within the question, so that who hangs can be named. */
  metricAnswerMs: 8_000,
  metricBytesMax: 1_048_576,
  /** A number that is older says nothing about now: three questions were not answered. */
  metricGoodMs: 60_000,
  /** Functions whose minimums or numbers are looked at at once; most of it is waiting. */
  scalingChecksMax: 8,
  /** Between two looks at a minimum that should not change: clocks are set, machines sleep. */
  floorLookMs: 3_600_000,
  /** Longest message of a condition. */
  messageCharactersMax: 4_096,
} as const;

/** How long a server of sources that did not answer is left alone; doubles with every failure. */
export const sourceBackoff = { baseMs: 5_000, capMs: 300_000 } as const;

/** How long a failed rollout waits before it is tried again; doubles with every failure. */
export const rolloutBackoffs = {
  /** The network is away; it tends to come back soon. */
  soon: { baseMs: 5_000, capMs: 300_000 },
  /** Code that failed by what it met while loading, as kubelet waits for a crashing container. */
  crash: { baseMs: 10_000, capMs: 300_000 },
  /** Code that does not come to an end while it loads costs a core for half a minute each time. */
  loadTimeout: { baseMs: 60_000, capMs: 3_600_000 },
  /** A registry may only be slow to show what was published; else somebody has to act first. */
  install: { baseMs: 5_000, capMs: 3_600_000 },
} as const;
