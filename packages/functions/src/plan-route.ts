import {
  type FunctionAffinity,
  type FunctionObject,
  type RevisionTemplate,
  resolveScale,
} from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import type { Route } from '@fnlet/gateway';
import { limits } from './limits.ts';

/** The Revision that serves, as far as a route depends on it. */
export interface ServedRevision {
  readonly name: string;
  readonly timeout: RevisionTemplate['timeout'];
}

/**
 * The route of a Function. Waking has its time on top of the call's own: what the function itself is
 * too slow for is cancelled and answered by its Runner.
 *
 * @param unavailable why nothing serves; told to callers while `served` is undefined
 */
export function planRoute(options: {
  readonly owner: FunctionObject;
  readonly served: ServedRevision | undefined;
  readonly unavailable: Route['unavailable'];
  readonly bodyBytesMax: number;
}): Route {
  const { owner, served, unavailable, bodyBytesMax } = options;
  const { name, namespace = '' } = owner.metadata;
  const { limit, concurrencyTarget } = resolveScale(owner.spec.scale);
  return {
    namespace,
    function: name,
    revision: served === undefined ? undefined : `${namespace}/${served.name}`,
    ...(served === undefined && unavailable !== undefined ? { unavailable } : {}),
    timeoutMs: parseDuration(served?.timeout ?? owner.spec.timeout),
    wakeMs: limits.wakeMs,
    bodyBytesMax,
    concurrencyLimit: limit,
    concurrencyTarget,
    ...affinityOf(owner.spec.affinity),
  };
}

function affinityOf(affinity: FunctionAffinity | undefined): Pick<Route, 'affinity'> {
  const { cookie, header } = affinity ?? {};
  if (cookie !== undefined) return { affinity: { by: 'cookie', name: cookie } };
  return header === undefined ? {} : { affinity: { by: 'header', name: header.toLowerCase() } };
}
