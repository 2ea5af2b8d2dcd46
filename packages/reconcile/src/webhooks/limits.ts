/** Bytes of one review: an object and its old state of up to 3 MB each (controller-runtime, 7 MiB). */
export const reviewBytesMax = 7_340_032;

/** How long a webhook may take when the caller does not say (admissionregistration, default). */
export const webhookTimeoutMs = 10_000;

/** No caller waits longer (admissionregistration, timeoutSeconds is at most 30). */
export const webhookTimeoutMaxMs = 30_000;

/** How long an authority of webhooks is valid. */
export const authorityLifeMs: number = 10 * 365 * 24 * 3_600_000;

/** How long a certificate of webhooks is valid; it is renewed after two thirds of that. */
export const certificateLifeMs: number = 90 * 24 * 3_600_000;

/** Between two looks whether another replica renewed it, or somebody took the authority out. */
export const certificateLookMs = 600_000;

/** After a look that failed. */
export const certificateRetryMs = 5_000;

/** How often an identity is read again because another replica wrote it; each time one of them has. */
export const identityTriesMax = 10;
