import type { RoutePolicy } from './policy/route-policy.ts';

/** Where calls of one Function go. A value: routes are replaced, never changed. */
export interface Route {
  readonly namespace: string;
  readonly function: string;
  /** The Revision that serves, `namespace/name`; `undefined` when none ever was ready. */
  readonly revision: string | undefined;
  /** Why nothing serves; shown to callers with 503 while `revision` is undefined. */
  readonly unavailable?: { readonly reason: string; readonly message: string };
  /**
   * How long an Instance may take until its answer begins. It answers 408 itself then; one that
   * does not gets 504 said for it a moment later.
   */
  readonly timeoutMs: number;
  /** How long a call may wait for an Instance on top of that; then 504. */
  readonly wakeMs: number;
  /** Largest request body; then 413. */
  readonly bodyBytesMax: number;
  /** Hard limit of calls in flight per Instance; 0 for none. */
  readonly concurrencyLimit: number;
  /** Calls in flight per Instance that scaling aims at, and balancing with it; 0 for none. */
  readonly concurrencyTarget: number;
  /** What ties calls to one Instance. */
  readonly affinity?: RouteAffinity;
  /** Whether only those inside call the Function by its names; routes lead others there all the same. */
  readonly internal?: boolean;
  /** What is demanded of requests that call the Function by its name. */
  readonly policy?: RoutePolicy;
  /** Set where calls go to more than the one Revision, or are copied, or can name where they go. */
  readonly split?: RouteSplit;
}

/** Calls with the same value of this cookie or header share an Instance, while it has room. */
export interface RouteAffinity {
  readonly by: 'cookie' | 'header';
  /** Of a header in lower case. */
  readonly name: string;
}

/** How the calls of one Function are shared out. */
export interface RouteSplit {
  /** At least one; the percentages add up to 100. */
  readonly shares: readonly RouteShare[];
  /** For so long a caller stays, by a cookie, with the Revision that answered first. */
  readonly sessionSeconds?: number;
  readonly mirror?: RouteMirror;
}

/** What one Revision gets of them. */
export interface RouteShare {
  /** How this Revision serves: a route without a split. */
  readonly route: Route;
  /** Its part of the calls that ask for no particular Revision. */
  readonly percent: number;
  /** Calls of `<tag>-<function>`, as path or host, go here; so do those that name it. */
  readonly tag?: string;
}

/** Where copies of calls go whose answers nobody waits for. */
export interface RouteMirror {
  /** How the Revision that gets them serves: a route without a split. */
  readonly route: Route;
  /** Part of the calls that are copied. */
  readonly percent: number;
  /** Whether calls are copied too that may not be made twice, such as POST. */
  readonly nonIdempotent: boolean;
}

/** The ids of all Revisions that a route names; one may be there more than once. */
export function routeRevisions(route: Route): readonly string[] {
  const { split } = route;
  if (split === undefined) return route.revision === undefined ? [] : [route.revision];
  const routes = split.shares.map((share) => share.route);
  if (split.mirror !== undefined) routes.push(split.mirror.route);
  return routes.flatMap(({ revision }) => revision ?? []);
}

/** Where an Instance answers HTTP/1.1: on a Unix socket of this machine, or elsewhere over TCP. */
export type EndpointAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number };

/** An Instance as the Gateway sees it. */
export type Endpoint = EndpointAddress & {
  /** Name of the Instance. */
  readonly id: string;
  /**
   * Set while it loads its code: it gets no call yet, but a connection is opened for the first one.
   */
  readonly starting?: boolean;
  /**
   * Whether it is in the zone of this Gateway. Left out where that is not known, or where there is
   * but one zone: then it is like all others.
   */
  readonly near?: boolean;
};

/** Whether both lead to the same place. */
export function isSameAddress(one: EndpointAddress, other: EndpointAddress): boolean {
  if ('socketPath' in one) return 'socketPath' in other && one.socketPath === other.socketPath;
  return 'host' in other && one.host === other.host && one.port === other.port;
}

/** Why no Instance of a Revision takes calls, and will not for a while. */
export interface Outage {
  readonly reason: string;
  readonly message: string;
  /** How long until one is tried again. */
  readonly retryAfterMs: number;
}
