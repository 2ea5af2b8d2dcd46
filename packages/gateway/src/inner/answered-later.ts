import type { RequestHead } from '../http1/request-head.ts';
import type { RouteMatch } from '../routing/route-table.ts';
import type { ReceivedRequest, Responder } from './responder.ts';

// RFC 7240 §2: preferences are tokens between commas, in any case, with parameters after a
// semicolon. A value, as in `respond-async=no`, makes it another preference.
const respondAsync = /(?:^|,)[ \t]*respond-async[ \t]*(?:[,;]|$)/i;

/**
 * Whether the client would rather have its answer later (RFC 7240 §4.1). One that changes the
 * protocol cannot mean that.
 */
export function prefersLater({ fields, upgrade }: RequestHead): boolean {
  const prefer = fields.known.get('prefer');
  return prefer !== undefined && upgrade === undefined && respondAsync.test(prefer);
}

const prefix = '/async';

/** The target without `/async` at its beginning; `undefined` when it does not begin so. */
export function withoutAsync(target: string): string | undefined {
  return target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : undefined;
}

/** Whether something is asked about calls that were, or will be, answered later. */
export function isAboutCalls(target: string): boolean {
  return /^\/-\/calls(?:[/?]|$)/.test(target);
}

const callPath = /^\/-\/calls\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\/\w+)?(?:\?|$)/;

/** Whether one call is asked about, by an id as calls have it: no path that somebody else chose. */
export function isAboutCall(target: string): boolean {
  return callPath.test(target);
}

/** A request for `responder`: a call to be answered later, or (no match) one about such calls. */
export interface LaterDestination {
  readonly responder: Responder;
  readonly call: ReceivedRequest['call'];
  readonly target: string;
  readonly policy: RouteMatch['route']['policy'] | undefined;
}

/** Where a call goes that is to be answered later. */
export function laterDestination(
  responder: Responder,
  { route, target, tag }: RouteMatch,
): LaterDestination {
  const name = tag === undefined ? route.function : `${tag}-${route.function}`;
  const call = { namespace: route.namespace, function: name };
  return { responder, call, target, policy: route.policy };
}
