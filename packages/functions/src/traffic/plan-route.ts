import { type FunctionAffinity, type FunctionObject, resolveScale } from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import type { Route, RouteSplit } from '@fnlet/gateway';
import { limits } from '../limits.ts';
import { isPlain, mainRevision, type ServedRevision, type Share } from './share.ts';

/**
 * The route of a Function. Waking has its time on top of the call's own: what the function itself is
 * too slow for is cancelled and answered by its Runner.
 *
 * @param shares empty while nothing serves
 * @param unavailable why nothing serves; told to callers then
 */
export function planRoute(options: {
  readonly owner: FunctionObject;
  readonly shares: readonly Share[];
  readonly unavailable: Route['unavailable'];
  readonly bodyBytesMax: number;
}): Route {
  const { owner, shares, unavailable } = options;
  const main = mainRevision(shares);
  const route = routeTo(options, main);
  if (main === undefined) return unavailable === undefined ? route : { ...route, unavailable };
  const isSplit = !isPlain(shares) || owner.spec.mirror !== undefined;
  return isSplit ? { ...route, split: planSplit(options) } : route;
}

interface RouteInput {
  readonly owner: FunctionObject;
  readonly shares: readonly Share[];
  readonly bodyBytesMax: number;
}

function routeTo({ owner, bodyBytesMax }: RouteInput, served: ServedRevision | undefined): Route {
  const { name, namespace = '' } = owner.metadata;
  const { limit, concurrencyTarget } = resolveScale(owner.spec.scale);
  return {
    namespace,
    function: name,
    revision: served === undefined ? undefined : `${namespace}/${served.name}`,
    timeoutMs: parseDuration(served?.timeout ?? owner.spec.timeout),
    wakeMs: limits.wakeMs,
    bodyBytesMax,
    concurrencyLimit: limit,
    concurrencyTarget,
    ...affinityOf(owner.spec.affinity),
    ...(owner.spec.visibility === 'internal' ? { internal: true } : {}),
  };
}

function affinityOf(affinity: FunctionAffinity | undefined): Pick<Route, 'affinity'> {
  const { cookie, header } = affinity ?? {};
  if (cookie !== undefined) return { affinity: { by: 'cookie', name: cookie } };
  return header === undefined ? {} : { affinity: { by: 'header', name: header.toLowerCase() } };
}

function planSplit(input: RouteInput): RouteSplit {
  const { owner, shares } = input;
  const { session, mirror } = owner.spec;
  const copied = shares.find(({ revision, tag }) =>
    mirror?.tag === undefined ? revision.name === mirror?.revision : tag === mirror.tag,
  );
  return {
    shares: shares.map(({ revision, percent, tag }) => ({
      route: routeTo(input, revision),
      percent,
      ...(tag === undefined ? {} : { tag }),
    })),
    ...(session === undefined
      ? {}
      : { sessionSeconds: Math.ceil(parseDuration(session.maxAge) / 1000) }),
    ...(mirror === undefined || copied === undefined
      ? {}
      : {
          mirror: {
            route: routeTo(input, copied.revision),
            percent: mirror.percent,
            nonIdempotent: mirror.nonIdempotent,
          },
        }),
  };
}
