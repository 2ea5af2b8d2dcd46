/** First retry of a key that failed (client-go, DefaultTypedControllerRateLimiter). */
export const retryBaseMs = 5;

/** No retry waits longer; after about 18 failures in a row (client-go). */
export const retryCapMs = 1_000_000;

/** How long one run of a key may take before its signal aborts. */
export const deadlineMs = 60_000;

/** How long one run of an operator may take: it decides and writes, it does not wait. */
export const operatorDeadlineMs = 10_000;

/** When all objects of an operator are looked at again (controller-runtime, SyncPeriod). */
export const resyncMs = 36_000_000;

/** Keys of the initial list wait behind everything that happens later (controller-runtime). */
export const initialListPriority = -100;

/** Events that wait to be written; a storm beyond it loses Events, never a reconcile. */
export const pendingEventsMax = 1000;

/** Events that are remembered so that a repetition raises their count instead (client-go). */
export const knownEventsMax = 4096;

/** A repetition after this long is a new Event (client-go, maxIdleTime is 10 minutes). */
export const eventRepeatMs = 600_000;

/** Messages of one reason about one object that have an Event each (client-go, maxEvents). */
export const similarEventsMax = 10;

/** After so long without one, they are counted anew (client-go, maxIntervalInSeconds). */
export const similarEventsMs = 600_000;

/** Events about one object that may be written at once (client-go, spam filter). */
export const eventBurst = 25;

/** After those, one in so long: five minutes (client-go). */
export const eventRefillMs = 300_000;

/** Longest message of an Event (apiserver, core/v1 validation). */
export const eventMessageCharactersMax = 1024;

/** Tries to write one Event before it is given up. */
export const eventTriesMax = 5;

/** How long a recorder that is told to stop may still write what waits. */
export const eventDrainMs = 2_000;

/** Objects that one object may concern by an expression; a list beyond it is a mistake. */
export const mappedKeysMax = 10_000;

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

/** Keys that wait in a channel to which no controller listens yet, such as before it leads. */
export const channelKeysMax = 10_000;

/** When whoever calls a webhook that has no room is to call again: a controller starts in less. */
export const webhookRetryAfterSeconds = 5;

/** How long one look at something outside may take: it is asked again anyway. */
export const pollDeadlineMs = 60_000;

/** The pause after the first look that failed; it doubles up to the interval. */
export const pollBackoffBaseMs = 1_000;

/** How long a run that is told to end may go on before its worker turns to other keys. */
export const strayMs = 10_000;

/** How far a resync comes before or after its time, so that many do not come together. */
export const resyncJitter = 0.1;

/** Tries to change a list of finalizers that others change at the same moment. */
export const finalizerTriesMax = 5;

/**
 * How long the runs in progress may go on by themselves when a manager stops. What is left of the
 * 30 seconds that a Pod has to end (core/v1, terminationGracePeriodSeconds) is for the Lease.
 */
export const drainMs = 20_000;

/** How long a standby reads before it takes part in an election, even if a kind cannot be read. */
export const warmMs = 30_000;

/** How often a run may ask for more objects (Crossplane functions). */
export const requireRoundsMax = 5;

/** Objects that one run may ask for beside those that it watches: about 30 MB of the largest. */
export const requiredObjectsMax = 1000;

/**
 * How soon a status is said again that somebody else has changed: at once would be a fight at full
 * speed with whoever does so again and again.
 */
export const overruledRetryMs = 5_000;

/** How long it may take to tell of a run that has failed. */
export const tellFailureMs = 5_000;

/**
 * Characters of what the runtime says in a condition. Kinds allow 32 768 bytes (metav1.Condition);
 * a status that is refused for its length would say nothing at all.
 */
export const conditionMessageMax = 8_000;
