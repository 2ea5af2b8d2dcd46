/**
 * Where requests go. In this order: to who answers for the name of a Service in this process; to
 * the route that people have named for the host; to the Function that host or path name; to the
 * route that people have named for any host.
 *
 * I1. A host that routes name shows nothing but them, and what is for any host: Functions that
 *     nobody has published there are not reached by their names either.
 * I2. The names that a Function has inside, as a Service, are its own: no route takes them away.
 * I3. A Function that is internal is called by its names from inside only. To others it is one that
 *     does not exist, but through a route that leads to it.
 * I4. Paths below `/-/` are the Gateway's own, but for routes of the very host.
 *     What was accepted for later is asked about at any host: that is where its client is sent.
 * I5. What names a Function by its path leads to it in every reading, or nowhere. Where the host
 *     names it, all paths are its own.
 */
import type { Invocation } from '@fnlet/invocation';
import type { Destination } from '../client-connection.ts';
import type { CallerOrigin } from '../fronts/wire.ts';
import type { RequestHead } from '../http1/request-head.ts';
import {
  isAboutCall,
  isAboutCalls,
  laterDestination,
  prefersLater,
  withoutAsync,
} from '../inner/answered-later.ts';
import type { FindRoute } from '../inner/inner-calls.ts';
import type { Responder } from '../inner/responder.ts';
import type { TrustedProxies } from '../policy/client-address.ts';
import { fieldValues } from '../policy/field-changes.ts';
import type { RoutePolicy } from '../policy/route-policy.ts';
import type { Route } from '../route.ts';
import type { Splitter } from '../traffic/splitter.ts';
import type { HttpRouteTarget } from './http-route.ts';
import { HttpRouteTable, type HttpRouting } from './http-route-table.ts';
import { planHttpsRedirect } from './https-redirect.ts';
import { parameterFields } from './path-parameters.ts';
import { readPath } from './path-reading.ts';
import type { Taker } from './path-tree.ts';
import {
  ambiguousPath,
  functionNotFound,
  methodNotAllowed,
  ownAnswer,
  pathOf,
  routeFound,
  routeNotFound,
  tagNotFound,
  unavailable,
} from './route-answers.ts';
import { type RouteMatch, RouteTable } from './route-table.ts';
import { isServiceHost, ServiceTable } from './service-table.ts';

type Routed = Extract<HttpRouting, { kind: 'route' }>;

export interface RouterOptions {
  /** See `GatewayOptions`. */
  readonly namespaceOf: (remoteAddress: string) => string | undefined;
  /** Who takes calls that are to be answered later, now; see `GatewayOptions`. */
  readonly later: () => Responder | undefined;
  /** See `GatewayOptions`. */
  readonly serviceNames: Responder | undefined;
  readonly splitter: Splitter;
  readonly trustedProxies: TrustedProxies;
  /** See `GatewayOptions`. */
  readonly isCurrent: () => boolean;
  /** Where the Gateway speaks TLS. */
  readonly httpsPort: () => number | undefined;
}

export class Router {
  /** By the names of Functions. */
  readonly functions: RouteTable = new RouteTable();
  /** By host and path. */
  readonly http: HttpRouteTable = new HttpRouteTable();
  /** By the names of Services that are no Functions. */
  readonly services: ServiceTable = new ServiceTable();
  /** Who takes events that are sent to paths below `/-/events/`. */
  eventSinks: Responder | undefined;
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Where a request of a client goes. */
  resolve(head: RequestHead, client: CallerOrigin): Destination {
    const host = this.#qualify(head.host, client.remoteAddress);
    const responder = this.services.size > 0 ? this.#serviceAt(host, client) : undefined;
    if (responder !== undefined) return toResponder(responder, head.target);
    const isNamed = this.http.size > 0 && !this.#isFunction(host, client);
    const byHost = isNamed ? this.#resolveHost(head, client) : undefined;
    if (byHost !== undefined) return byHost;
    const match = this.functions.match(host, head.target, client.inside);
    if (this.#isAmbiguous(match, head, client)) {
      return { answer: ambiguousPath, policy: undefined };
    }
    return match === undefined
      ? this.#resolveOther(head, client)
      : this.#serve(match, head, match.route.policy);
  }

  /** Whether a route is for this host, or a Function is called by it from outside. */
  answersAt(host: string): boolean {
    const asked = { path: '/', anyHost: false };
    return (
      this.functions.match(host, '/', false) !== undefined ||
      this.http.matchHost(host, asked, 'GET') !== undefined
    );
  }

  /** Where a call from within goes. */
  resolveCall(call: Invocation, head: RequestHead): ReturnType<FindRoute> {
    const path = `/${call.namespace}/${call.function}${call.target}`;
    const match = this.functions.match('', path, true);
    return match === undefined ? { answer: routeNotFound(path) } : this.#toInstances(match, head);
  }

  /** I1; `undefined` for a host that no route names. */
  #resolveHost(head: RequestHead, client: CallerOrigin): Destination | undefined {
    const asked = { path: pathOf(head), anyHost: !isOwn(head) };
    const routing = this.http.matchHost(head.host, asked, head.method);
    if (routing?.kind !== 'none' || asked.anyHost) {
      return routing && this.#follow(routing, head, client);
    }
    const match = this.#byPath(head.target, client);
    return match === undefined
      ? this.#resolveOther(head, client)
      : this.#serve(match, head, match.route.policy);
  }

  /** Where a request goes that neither its host nor a Function takes. */
  #resolveOther(head: RequestHead, client: CallerOrigin): Destination {
    const { target } = head;
    const later = this.#options.later();
    if (later !== undefined && isAboutCalls(target)) {
      return toResponder(later, target);
    }
    const path = later === undefined ? undefined : withoutAsync(target);
    const match = path === undefined ? undefined : this.#byPath(path, client);
    if (later !== undefined && match !== undefined) return laterDestination(later, match);
    if (isOwn(head)) return this.#own(head, client);
    return this.#follow(this.http.matchAny(pathOf(head), head.method), head, client);
  }

  #follow(routing: HttpRouting, head: RequestHead, client: CallerOrigin): Destination {
    switch (routing.kind) {
      case 'route':
        return this.#redirect(routing, head, client) ?? this.#forward(routing, head);
      case 'method': {
        const refused = refuseMethod(routing.takers, head);
        return this.#aboutCall(head, refused.policy) ?? refused;
      }
      case 'ambiguous':
        return { answer: ambiguousPath, policy: undefined };
      case 'none':
        return this.#own(head, client);
    }
  }

  /** Where a request goes first whose route is for TLS only. */
  #redirect({ taker }: Routed, head: RequestHead, client: CallerOrigin): Destination | undefined {
    if (taker.route.httpsOnly !== true) return undefined;
    const { trustedProxies, httpsPort } = this.#options;
    const answer = planHttpsRedirect(head, client, { trustedProxies, httpsPort: httpsPort() });
    // Nothing is asked of it: what it says about itself was said for all to hear.
    return answer === undefined ? undefined : { answer, policy: undefined };
  }

  #forward({ taker, match }: Routed, head: RequestHead): Destination {
    const { target, policy, rewrite } = taker.route;
    const asked = this.#aboutCall(head, policy);
    if (asked !== undefined) return asked;
    const rest = head.target.slice(match.length);
    const path = rewrite === undefined ? head.target : join(rewrite, rest);
    const forward = parameterFields(taker.path.parameters, match.values);
    const served =
      'responder' in target
        ? { ...toResponder(target.responder, path), policy }
        : this.#toTarget(target, { head, path, policy });
    return forward === undefined ? served : { ...served, forward };
  }

  #toTarget(
    target: HttpRouteTarget,
    { head, path, policy }: { head: RequestHead; path: string; policy: RoutePolicy | undefined },
  ): Destination {
    const { tag } = target;
    const route = this.functions.get(target.namespace, target.function);
    if (route === undefined) return { answer: functionNotFound(target), policy };
    // Not the other Revisions: who asks for one by its tag does not want them.
    if (tag !== undefined && !hasTag(route, tag)) return { answer: tagNotFound(target), policy };
    const own = { route, target: path };
    return this.#serve(tag === undefined ? own : { ...own, tag }, head, policy);
  }

  /** I4; `policy`: of what takes all else there. */
  #aboutCall({ target }: RequestHead, policy: RoutePolicy | undefined): Destination | undefined {
    if (!isAboutCall(target)) return undefined;
    const later = this.#options.later();
    return later && { ...toResponder(later, target), policy };
  }

  #serve(match: RouteMatch, head: RequestHead, policy: RoutePolicy | undefined): Destination {
    const asked = this.#aboutCall(head, policy);
    if (asked !== undefined) return asked;
    const later = this.#options.later();
    if (later !== undefined && prefersLater(head)) {
      return { ...laterDestination(later, match), policy };
    }
    return { ...this.#toInstances(match, head), policy };
  }

  /** The Revision that serves a request, or why none does. */
  #toInstances({ route, target, tag }: RouteMatch, { fields }: RequestHead): ReturnType<FindRoute> {
    const { revision, split } = route;
    if (revision === undefined) return { answer: unavailable(route) };
    return split === undefined
      ? { route, revisionId: revision, target, share: undefined }
      : { ...this.#options.splitter.split(route, split, { fields, tag }), target };
  }

  /** I5 */
  #isAmbiguous(match: RouteMatch | undefined, head: RequestHead, client: CallerOrigin): boolean {
    if (match?.isHost === true || isOwn(head)) return false;
    const reading = readPath(pathOf(head));
    if (reading.kind === 'plain') return false;
    const other = this.#byPath(reading.path, client);
    return other?.route !== match?.route || other?.tag !== match?.tag;
  }

  #byPath(target: string, { inside }: CallerOrigin): RouteMatch | undefined {
    return this.functions.match('', target, inside);
  }

  /** I2 */
  #serviceAt(host: string, client: CallerOrigin): Responder | undefined {
    if (!client.inside || this.#isFunction(host, client)) return undefined;
    return this.services.match(host);
  }

  /** I2 */
  #isFunction(host: string, { inside }: CallerOrigin): boolean {
    return isServiceHost(host) && this.functions.match(host, '/', inside) !== undefined;
  }

  /** Adds the namespace to a host that has none, where it is known. */
  #qualify(host: string, remoteAddress: string): string {
    if (host.includes('.')) return host;
    const namespace = this.#options.namespaceOf(remoteAddress);
    return namespace === undefined ? host : `${host.split(':', 1)[0]}.${namespace}`;
  }

  #own(head: RequestHead, client: CallerOrigin): Destination {
    const { target } = head;
    if (this.eventSinks !== undefined && target.startsWith('/-/events/')) {
      return toResponder(this.eventSinks, target);
    }
    const asked = askedName(target);
    if (asked !== undefined && this.#isRouted(asked, client)) {
      return { answer: routeFound, policy: undefined };
    }
    // What else there is in the cluster is nobody's business outside.
    const responder = asked && client.inside ? this.#options.serviceNames : undefined;
    return responder === undefined
      ? { answer: ownAnswer(head, this.#options.isCurrent()), policy: undefined }
      : toResponder(responder, target);
  }

  /** @param path `/<namespace>/<name>` */
  #isRouted(path: string, client: CallerOrigin): boolean {
    if (this.#byPath(path, client) !== undefined) return true;
    const [, namespace = '', name = ''] = path.split('/');
    return client.inside && this.services.get({ namespace, name }) !== undefined;
  }
}

function toResponder(responder: Responder, target: string): Destination {
  return { responder, call: undefined, target, policy: undefined };
}

/** The Function that may be meant where somebody asks what a name of a Service leads to. */
function askedName(target: string): string | undefined {
  return /^\/-\/routes(\/[^/?]+\/[^/?]+)(?:\/\d+)?$/.exec(target)?.[1];
}

/** I4 */
function isOwn({ target }: RequestHead): boolean {
  return target.startsWith('/-/');
}

function hasTag({ split }: Route, tag: string): boolean {
  return split?.shares.some((share) => share.tag === tag) === true;
}

/** A path with what follows it: nothing, a query, or a slash and more. */
function join(path: string, rest: string): string {
  return path.endsWith('/') && rest.startsWith('/') ? path + rest.slice(1) : path + rest;
}

/** The policy is asked all the same: a preflight request is one that it answers itself. */
function refuseMethod(
  takers: ReadonlyMap<string, Taker>,
  { method, fields }: RequestHead,
): Destination {
  const [asked = ''] = fieldValues(fields, 'access-control-request-method');
  const [first] = takers.values();
  const { policy } = (takers.get(asked) ?? first)?.route ?? {};
  const allowed = new Set([...takers.keys(), ...(takers.has('GET') ? ['HEAD'] : [])]);
  return { answer: methodNotAllowed(method, [...allowed].join(', ')), policy };
}
