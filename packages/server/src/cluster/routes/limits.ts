/** Every bound of this folder, each with its reason. Times are milliseconds. */

/** Whether the API has come to know the kind HTTPRoute is looked up so often: people install it. */
export const routeKindPollMs = 15_000;

/** Triggers whose routes are written at once; each is one or two requests. */
export const routeWorkers = 4;

/** Matches of one rule of an HTTPRoute: as many as the Gateway API took before its release 1.2. */
export const ruleMatchesMax = 8;
