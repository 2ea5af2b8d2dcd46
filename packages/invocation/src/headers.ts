/**
 * Names the call in the Gateway's log, the Runner's log and the answer. Given by the caller or made
 * by whoever comes first.
 */
export const requestIdHeader = 'x-request-id';
