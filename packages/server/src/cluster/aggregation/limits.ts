/** Every bound of this folder, each with its reason. Times are milliseconds, sizes bytes. */

/** What a request brings at most: an event, as Triggers take it. */
export const aggregatedBodyBytesMax: number = 4 * 1024 * 1024;

/** Requests at once, those that follow events included: the API server passes on what people ask. */
export const aggregatedRequestsMax = 256;

/** Between two looks at whom the API server passes requests on as: it is changed by its restart. */
export const frontProxyLookMs = 60_000;

/** After a look that failed, and between two that strangers make necessary. */
export const frontProxyRetryMs = 2_000;

/** Between two looks whether the Pod that leads is still marked; somebody may take labels away. */
export const leaderMarkLookMs = 60_000;
export const leaderMarkRetryMs = 2_000;

/** Between two looks whether APIServices still name the authority; they may be made anew. */
export const apiServiceTrustLookMs = 60_000;
export const apiServiceTrustRetryMs = 5_000;
