/** How long a stop waits for calls in flight; longer than people wait for Ctrl-C is of no use. */
export const gatewayGraceMs = 5000;

/** How long Instances may finish what the Gateway did not wait for (background work, logs). */
export const instancesGraceMs = 2000;

/** The API establishes a definition within milliseconds; the rest is for a machine that is busy. */
export const crdEstablishedMs = 10_000;

/** How often to look whether it has. The start waits for it, so often. */
export const crdPollMs = 1;
