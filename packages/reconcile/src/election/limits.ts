/** How long others leave a leader's Lease alone that does not change (controller-runtime). */
export const electionLeaseMs = 15_000;

/** How long after its last renewal a leader stops by itself (controller-runtime). */
export const electionRenewDeadlineMs = 10_000;

/** Between two renewals of a leader, and two looks of a candidate (controller-runtime). */
export const electionRetryMs = 2_000;
