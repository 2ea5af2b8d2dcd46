/** How long a stop waits for calls in flight; longer than people wait for Ctrl-C is of no use. */
export const gatewayGraceMs = 5000;

/** How long Instances may finish what the Gateway did not wait for (background work, logs). */
export const instancesGraceMs = 2000;
