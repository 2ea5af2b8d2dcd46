import { type Route, routeRevisions } from '../route.ts';
import { decodeOctets } from './route-path.ts';

/** A route, and what of the request target is left for the function. */
export interface RouteMatch {
  readonly route: Route;
  /** Path and query as the function sees them; starts with `/`. */
  readonly target: string;
  /** Set when the address was that of a tag. */
  readonly tag?: string;
  /** Set when the host named it, so that the whole path is the function's. */
  readonly isHost?: true;
}

interface TaggedRoute {
  readonly route: Route;
  readonly tag: string;
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
  /** Keyed as both of the others, `<tag>-<function>` in place of the function. */
  #byTag = new Map<string, TaggedRoute>();
  /** How often routes name a Revision. */
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
    this.#byTag = fresh.#byTag;
    this.#revisions = fresh.#revisions;
  }

  /** Adds a route or replaces it. Returns the one it replaced. */
  set(route: Route): Route | undefined {
    const { namespace, function: name } = route;
    const before = this.remove(namespace, name);
    for (const revision of routeRevisions(route)) this.#count(revision, 1);
    for (const { key, tag } of tagKeys(route)) this.#byTag.set(key, { route, tag });
    this.#byPath.set(pathKey(namespace, name), route);
    this.#byHost.set(hostKey(namespace, name), route);
    return before;
  }

  /** Removes a route and returns it. */
  remove(namespace: string, name: string): Route | undefined {
    const before = this.#byPath.get(pathKey(namespace, name));
    if (before === undefined) return undefined;
    for (const revision of routeRevisions(before)) this.#count(revision, -1);
    for (const { key } of tagKeys(before)) {
      // Two Functions may claim the same address; the later one has it.
      if (this.#byTag.get(key)?.route === before) this.#byTag.delete(key);
    }
    this.#byPath.delete(pathKey(namespace, name));
    this.#byHost.delete(hostKey(namespace, name));
    return before;
  }

  /** The route of this Function. */
  get(namespace: string, name: string): Route | undefined {
    return this.#byPath.get(pathKey(namespace, name));
  }

  /** Whether any route names this Revision. */
  names(revisionId: string): boolean {
    return this.#revisions.has(revisionId);
  }

  /**
   * The route that a request takes: by `Host: <function>.<namespace>…` where both name one, else by
   * `/<namespace>/<function>` at the beginning of its path, which is then taken off. Either way the
   * function may be `<tag>-<function>`, unless a function of that name is there.
   *
   * @param inside whether those that are internal are there, too
   */
  match(host: string, target: string, inside: boolean): RouteMatch | undefined {
    const labels = hostLabels(host);
    if (labels !== undefined) {
      const byHost = this.#byHost.get(labels);
      if (byHost !== undefined && isThere(byHost, inside))
        return { route: byHost, target, isHost: true };
      const tagged = this.#byTag.size > 0 ? this.#byTag.get(labels) : undefined;
      if (tagged !== undefined && isThere(tagged.route, inside))
        return { ...tagged, target, isHost: true };
    }
    const slash = target.indexOf('/', 1);
    if (slash < 0) return undefined;
    const end = segmentEnd(target, slash + 1);
    const written = target.slice(1, end);
    // Names consist of what needs no encoding; encoded all the same they are the same (RFC 3986).
    const key = written.includes('%') ? decodeOctets(written) : written;
    const rest = target.slice(end);
    const route = this.#byPath.get(key);
    if (route !== undefined && isThere(route, inside)) return { route, target: below(rest) };
    const tagged = this.#byTag.get(key);
    if (tagged === undefined || !isThere(tagged.route, inside)) return undefined;
    return { ...tagged, target: below(rest) };
  }

  #count(revisionId: string, change: number): void {
    const count = (this.#revisions.get(revisionId) ?? 0) + change;
    if (count > 0) this.#revisions.set(revisionId, count);
    else this.#revisions.delete(revisionId);
  }
}

function isThere({ internal }: Route, inside: boolean): boolean {
  return inside || internal !== true;
}

function pathKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function hostKey(namespace: string, name: string): string {
  return `${name}.${namespace}`;
}

/** The addresses of the tags of a route. */
function tagKeys(route: Route): readonly { readonly key: string; readonly tag: string }[] {
  const { namespace, function: name, split } = route;
  return (split?.shares ?? []).flatMap(({ tag }) => {
    if (tag === undefined) return [];
    const tagged = `${tag}-${name}`;
    return [
      { key: pathKey(namespace, tagged), tag },
      { key: hostKey(namespace, tagged), tag },
    ];
  });
}

/** The first two labels of a host that has as many, in lower case. */
function hostLabels(host: string): string | undefined {
  const first = host.indexOf('.');
  if (first < 0) return undefined;
  const second = host.indexOf('.', first + 1);
  const labels = second < 0 ? host.slice(0, portStart(host)) : host.slice(0, second);
  return labels.toLowerCase();
}

function below(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
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
