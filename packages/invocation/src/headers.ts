/**
 * Names the call in the Gateway's log, the Runner's log and the answer. Given by the caller or made
 * by whoever comes first.
 */
export const requestIdHeader = 'x-request-id';

/**
 * A Runner without code says so in its 503: it has not looked at the call, which may be sent to
 * another one, whatever its method.
 */
export const unloadedHeader = 'x-fnlet-unloaded';
