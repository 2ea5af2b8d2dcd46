import type { Route } from './route.ts';

/** A route, and what of the request target is left for the function. */
export interface RouteMatch {
  readonly route: Route;
  /** Path and query as the function sees them; starts with `/`. */
  readonly target: string;
}

/**
 * Finds the route of a request in O(1), however many there are. All routes are replaced in one go
 * and a single one by its map entries, within one tick: a request sees the old or the new.
 */
export class RouteTable {
  /** Keyed `<namespace>/<function>`, as a path begins. */
  #byPath = new Map<string, Route>();
  /** Keyed `<function>.<namespace>`, as a host begins. */
  #byHost = new Map<string, Route>();
  /** How many routes name a Revision. */
  #revisions = new Map<string, number>();

  get size(): number {
    return this.#byPath.size;
  }

  /** Replaces all routes. */
  replace(routes: Iterable<Route>): void {
    const fresh = new RouteTable();
    for (const route of routes) fresh.set(route);
    this.#byPath = fresh.#byPath;
    this.#byHost = fresh.#byHost;
    this.#revisions = fresh.#revisions;
  }

  /** Adds a route or replaces it. Returns the one it replaced. */
  set(route: Route): Route | undefined {
    const before = this.#byPath.get(pathKey(route.namespace, route.function));
    if (before?.revision !== undefined) this.#count(before.revision, -1);
    if (route.revision !== undefined) this.#count(route.revision, 1);
    this.#byPath.set(pathKey(route.namespace, route.function), route);
    this.#byHost.set(hostKey(route.namespace, route.function), route);
    return before;
  }

  /** Removes a route and returns it. */
  remove(namespace: string, name: string): Route | undefined {
    const before = this.#byPath.get(pathKey(namespace, name));
    if (before?.revision !== undefined) this.#count(before.revision, -1);
    this.#byPath.delete(pathKey(namespace, name));
    this.#byHost.delete(hostKey(namespace, name));
    return before;
  }

  /** Whether any route names this Revision. */
  names(revisionId: string): boolean {
    return this.#revisions.has(revisionId);
  }

  /**
   * The route that a request takes: by `Host: <function>.<namespace>…` where both name one, else by
   * `/<namespace>/<function>` at the beginning of its path, which is then taken off.
   */
  match(host: string, target: string): RouteMatch | undefined {
    const byHost = this.#matchHost(host);
    if (byHost !== undefined) return { route: byHost, target };
    const slash = target.indexOf('/', 1);
    if (slash < 0) return undefined;
    const end = segmentEnd(target, slash + 1);
    const route = this.#byPath.get(target.slice(1, end));
    if (route === undefined) return undefined;
    const rest = target.slice(end);
    return { route, target: rest.startsWith('/') ? rest : `/${rest}` };
  }

  #matchHost(host: string): Route | undefined {
    const first = host.indexOf('.');
    if (first < 0) return undefined;
    const second = host.indexOf('.', first + 1);
    const labels = second < 0 ? host.slice(0, portStart(host)) : host.slice(0, second);
    return this.#byHost.get(labels.toLowerCase());
  }

  #count(revisionId: string, change: number): void {
    const count = (this.#revisions.get(revisionId) ?? 0) + change;
    if (count > 0) this.#revisions.set(revisionId, count);
    else this.#revisions.delete(revisionId);
  }
}

function pathKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function hostKey(namespace: string, name: string): string {
  return `${name}.${namespace}`;
}

function segmentEnd(target: string, from: number): number {
  let end = from;
  while (end < target.length && target[end] !== '/' && target[end] !== '?') end++;
  return end;
}

function portStart(host: string): number {
  const colon = host.indexOf(':');
  return colon < 0 ? host.length : colon;
}
