/**
 * The routes that people have named by host and path. Finding one takes a few map lookups for the
 * host and a step for each segment of the path, however many routes there are.
 *
 * I1. Setting or removing a route touches what it names and nothing else; all are replaced by one
 *     assignment. Both within a tick: a request sees the old or the new.
 * I2. The most specific host that has the path wins: the host itself, then the longest wildcard,
 *     then routes of any host.
 * I3. A path that another reader may take for another path (`//`, `\`, encoded slashes) reaches the
 *     route that it leads to as it is, unless the other reading leads to another one; one with dot
 *     segments reaches none. So nobody gets around what a route demands by another spelling.
 */
import type { HttpMatch, HttpRoute } from './http-route.ts';
import { readPath } from './path-reading.ts';
import { type PathMatch, PathTree, type Taker } from './path-tree.ts';

/** What the table says about a request. */
export type HttpRouting =
  | { readonly kind: 'route'; readonly taker: Taker; readonly match: PathMatch }
  /** The path is known, but not for this method. */
  | { readonly kind: 'method'; readonly takers: ReadonlyMap<string, Taker> }
  /** I3 */
  | { readonly kind: 'ambiguous' }
  /** The host is known, but nothing of it has this path. */
  | { readonly kind: 'none' };

interface Hosts {
  /** By host; those of wildcards are kept by what follows their `*`, dot included. */
  readonly trees: Map<string, PathTree>;
  /** Routes of any host. */
  readonly any: PathTree;
  readonly routes: Map<string, HttpRoute>;
  wildcards: number;
}

/** Names are not longer (RFC 1035 §2.3.4), and what is cannot be a host that somebody named. */
const hostCharactersMax = 253;

export class HttpRouteTable {
  #hosts = noHosts();

  get size(): number {
    return this.#hosts.routes.size;
  }

  /** Replaces all routes. */
  replace(routes: Iterable<HttpRoute>): void {
    const fresh = noHosts();
    for (const route of routes) add(fresh, route);
    this.#hosts = fresh;
  }

  /** Adds a route, or replaces the one with its id. */
  set(route: HttpRoute): void {
    this.remove(route.id);
    add(this.#hosts, route);
  }

  /** Removes the route with this id. */
  remove(id: string): void {
    const route = this.#hosts.routes.get(id);
    if (route === undefined) return;
    this.#hosts.routes.delete(id);
    for (const match of route.matches) removeMatch(this.#hosts, route, match);
  }

  /**
   * Who takes a request for a host that routes name; `undefined` when none does.
   *
   * @param asked.path without query
   * @param asked.anyHost whether routes of any host take what those of this host do not
   */
  matchHost(
    host: string,
    { path, anyHost }: { readonly path: string; readonly anyHost: boolean },
    method: string,
  ): HttpRouting | undefined {
    if (this.#hosts.trees.size === 0) return undefined;
    const trees = treesOf(this.#hosts, normaliseHost(host));
    if (trees.length === 0) return undefined;
    if (anyHost) trees.push(this.#hosts.any);
    return route(trees, path, method);
  }

  /** Who takes a request that nobody has by its host. */
  matchAny(path: string, method: string): HttpRouting {
    const { any } = this.#hosts;
    return any.isEmpty ? { kind: 'none' } : route([any], path, method);
  }
}

function route(trees: readonly PathTree[], path: string, method: string): HttpRouting {
  const match = find(trees, path);
  const reading = readPath(path);
  if (reading.kind === 'dots') return { kind: 'ambiguous' };
  if (reading.kind === 'slashes') {
    const other = find(trees, reading.path)?.takers;
    if (other !== undefined && other !== match?.takers) return { kind: 'ambiguous' };
  }
  if (match === undefined) return { kind: 'none' };
  const { any, named = new Map<string, Taker>() } = match.takers;
  // Whoever answers GET answers HEAD (RFC 9110 §9.3.2).
  const taker = named.get(method) ?? any ?? (method === 'HEAD' ? named.get('GET') : undefined);
  return taker === undefined ? { kind: 'method', takers: named } : { kind: 'route', taker, match };
}

function find(trees: readonly PathTree[], path: string): PathMatch | undefined {
  for (const tree of trees) {
    const match = tree.match(path);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** In lower case, without port and without the dot that ends a complete name. */
function normaliseHost(host: string): string {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** The trees of a host, the most specific one first. */
function treesOf({ trees, wildcards }: Hosts, host: string): PathTree[] {
  if (host.length > hostCharactersMax) return [];
  const own = host.startsWith('.') ? undefined : trees.get(host);
  const found = own === undefined ? [] : [own];
  if (wildcards === 0) return found;
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    const tree = dot === 0 ? undefined : trees.get(host.slice(dot));
    if (tree !== undefined) found.push(tree);
  }
  return found;
}

function add(hosts: Hosts, route: HttpRoute): void {
  hosts.routes.set(route.id, route);
  for (const { host, path, methods } of route.matches) {
    treeOf(hosts, host).add({ route, path }, methods);
  }
}

function treeOf(hosts: Hosts, host: string): PathTree {
  if (host === '') return hosts.any;
  const key = treeKey(host);
  const known = hosts.trees.get(key);
  if (known !== undefined) return known;
  const tree = new PathTree();
  hosts.trees.set(key, tree);
  if (host.startsWith('*')) hosts.wildcards++;
  return tree;
}

function removeMatch(hosts: Hosts, route: HttpRoute, { host, path, methods }: HttpMatch): void {
  const tree = treeOf(hosts, host);
  tree.remove({ route, path }, methods);
  if (!tree.isEmpty || host === '') return;
  hosts.trees.delete(treeKey(host));
  if (host.startsWith('*')) hosts.wildcards--;
}

function treeKey(host: string): string {
  return host.startsWith('*') ? host.slice(1) : host;
}

function noHosts(): Hosts {
  return { trees: new Map(), any: new PathTree(), routes: new Map(), wildcards: 0 };
}
