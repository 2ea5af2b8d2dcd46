/** Bytes of one review: an object and its old state of up to 3 MB each (controller-runtime, 7 MiB). */
export const reviewBytesMax = 7_340_032;

/** How long a webhook may take when the caller does not say (admissionregistration, default). */
export const webhookTimeoutMs = 10_000;

/** No caller waits longer (admissionregistration, timeoutSeconds is at most 30). */
export const webhookTimeoutMaxMs = 30_000;
