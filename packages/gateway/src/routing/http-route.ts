import type { Responder } from '../inner/responder.ts';
import type { RoutePolicy } from '../policy/route-policy.ts';
import type { RoutePath } from './route-path.ts';

/**
 * Requests that a Function is sent, or that are answered in this process, by host, path and method.
 * A value: replaced, never changed.
 */
export interface HttpRoute {
  /** Unlike that of any other: `namespace/name` of what asks for it. */
  readonly id: string;
  /** The requests that it takes. No two routes have one in common: see `formatMatch`. */
  readonly matches: readonly HttpMatch[];
  readonly target: HttpRouteTarget | { readonly responder: Responder };
  /**
   * What takes the place of that part of the path that matched, such as `/` or `/v1`. Default: the
   * path reaches the Function as it came.
   */
  readonly rewrite?: string | undefined;
  /** Whether requests without TLS are sent to the same URL over TLS. Default: they are served. */
  readonly httpsOnly?: boolean | undefined;
  /** What is demanded of its requests; what they demand who call the Function by its name is not. */
  readonly policy?: RoutePolicy | undefined;
}

/** The Function that is called; while there is none, callers are answered 503. */
export interface HttpRouteTarget {
  readonly namespace: string;
  readonly function: string;
  /** The share of the Function that gets the calls. Default: as its traffic is split. */
  readonly tag?: string | undefined;
}

/** Some of the requests that a route takes. */
export interface HttpMatch {
  /**
   * A host in lower case, without port; `*.example.com` for all below example.com; empty for any
   * that no route names.
   */
  readonly host: string;
  readonly path: RoutePath;
  /** In capitals; GET stands for HEAD, too. Empty for all that no other route of this path names. */
  readonly methods: readonly string[];
}
