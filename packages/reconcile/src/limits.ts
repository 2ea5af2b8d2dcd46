/** First retry of a key that failed (client-go, DefaultTypedControllerRateLimiter). */
export const retryBaseMs = 5;

/** No retry waits longer; after about 18 failures in a row (client-go). */
export const retryCapMs = 1_000_000;

/** How long one run of a key may take before its signal aborts. */
export const deadlineMs = 60_000;

/** Keys of the initial list wait behind everything that happens later (controller-runtime). */
export const initialListPriority = -100;

/** Events that wait to be written; a storm beyond it loses Events, never a reconcile. */
export const pendingEventsMax = 1000;

/** Events that are remembered so that a repetition raises their count instead (client-go). */
export const knownEventsMax = 4096;

/** A repetition after this long is a new Event (client-go, maxIdleTime is 10 minutes). */
export const eventRepeatMs = 600_000;

/** Longest message of an Event (apiserver, core/v1 validation). */
export const eventMessageCharactersMax = 1024;

/** Tries to write one Event before it is given up. */
export const eventTriesMax = 5;

/** How long a recorder that is told to stop may still write what waits. */
export const eventDrainMs = 2_000;

/** Levels of and, or, not in a predicate: far beyond what a person can read. */
export const predicateDepthMax = 16;

/** What one expression may cost for one event, about 10 ms: it holds up every other event. */
export const predicateCostMax = 100_000;

/** How long others leave a leader's Lease alone that does not change (controller-runtime). */
export const electionLeaseMs = 15_000;

/** How long after its last renewal a leader stops by itself (controller-runtime). */
export const electionRenewDeadlineMs = 10_000;

/** Between two renewals of a leader, and two looks of a candidate (controller-runtime). */
export const electionRetryMs = 2_000;
