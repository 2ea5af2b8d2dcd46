/** Parts that the keys are divided into: the most replicas that can share them, in 200 bytes. */
export const shardCount = 64;

/** How long others leave the shards of a replica alone that is silent: they move within 14 s. */
export const sessionLeaseMs = 10_000;

/** How long after its last renewal a replica stops by itself; 3 s are for its runs to stop in. */
export const sessionRenewDeadlineMs = 7_000;

/** Between two renewals of a replica: one write and one list each 3 s, however many shards. */
export const sessionRenewMs = 3_000;

/** Before another try of a renewal that failed, so that two fit before the deadline. */
export const sessionRetryMs = 1_000;

/** Failures in a row after which a replica that leaves does not wait for the API any longer. */
export const leaveTriesMax = 5;
