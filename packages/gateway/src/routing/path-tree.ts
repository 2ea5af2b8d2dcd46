/**
 * The paths of one host: a tree with a level for each segment, in which a request goes down once.
 *
 * I1. Where several paths take a request, they are compared segment by segment from the left: what
 *     is written out goes before a parameter, that before the rest, that before a prefix. So an
 *     exact path wins, then the longest prefix, as in the Gateway API.
 * I2. The path decides before the method does: a method that the best path does not take is not
 *     allowed, and no other path is asked. Whoever guards a path guards it against all methods.
 * I3. No node is empty but the root.
 */
import type { HttpRoute } from './http-route.ts';
import { decodeOctets, type RoutePath } from './route-path.ts';

/** Who takes the requests of a path, by method. */
export interface Takers {
  /** Whoever takes the methods that nobody names. */
  any: Taker | undefined;
  /** By name of the method; `undefined` while nobody names one. */
  named: Map<string, Taker> | undefined;
}

/** A route, and how it calls the parameters of the path. */
export interface Taker {
  readonly route: HttpRoute;
  readonly path: RoutePath;
}

/** Where a path led. */
export interface PathMatch {
  readonly takers: Takers;
  /** What stands for the parameters, from left to right, as it came. */
  readonly values: readonly string[];
  /** How much of the path matched: what follows begins with a slash, or is nothing. */
  readonly length: number;
}

interface Node {
  literals: Map<string, Node> | undefined;
  parameter: Node | undefined;
  exact: Takers | undefined;
  rest: Takers | undefined;
  prefix: Takers | undefined;
}

export class PathTree {
  readonly #root = emptyNode();

  get isEmpty(): boolean {
    return isEmpty(this.#root);
  }

  /** Lets a route take requests of its path with these methods (none: all that nobody names). */
  add(taker: Taker, methods: readonly string[]): void {
    const { segments, end } = taker.path;
    let node = this.#root;
    for (const segment of segments) node = child(node, segment);
    const takers = node[end] ?? { any: undefined, named: undefined };
    node[end] = takers;
    if (methods.length === 0) takers.any = taker;
    else takers.named ??= new Map();
    for (const method of methods) takers.named?.set(method, taker);
  }

  /** Takes that back; requests that another route has got since stay with it. */
  remove({ route, path }: Taker, methods: readonly string[]): void {
    removeBelow(this.#root, { path, depth: 0 }, (takers) => {
      if (methods.length === 0 && takers.any?.route.id === route.id) takers.any = undefined;
      for (const method of methods) {
        if (takers.named?.get(method)?.route.id === route.id) takers.named.delete(method);
      }
      if (takers.named?.size === 0) takers.named = undefined;
    });
  }

  /** Who takes the requests of `path`, which starts with a slash and has no query. */
  match(path: string): PathMatch | undefined {
    const values: string[] = [];
    return descend(this.#root, { path, values }, 1);
  }
}

/** `from`: where the next segment begins; beyond the end of the path when there is none. */
function descend(
  node: Node,
  walk: { readonly path: string; readonly values: string[] },
  from: number,
): PathMatch | undefined {
  const { path, values } = walk;
  if (from > path.length) return found(node.exact ?? node.prefix, values, path.length);
  const slash = path.indexOf('/', from);
  const end = slash < 0 ? path.length : slash;
  if (node.literals !== undefined) {
    const next = node.literals.get(decodeOctets(path.slice(from, end)));
    const match = next === undefined ? undefined : descend(next, walk, end + 1);
    if (match !== undefined) return match;
  }
  if (node.parameter !== undefined && end > from) {
    values.push(path.slice(from, end));
    const match = descend(node.parameter, walk, end + 1);
    if (match !== undefined) return match;
    values.pop();
  }
  if (node.rest !== undefined) return found(node.rest, [...values, path.slice(from)], from - 1);
  return found(node.prefix, values, from - 1);
}

function found(
  takers: Takers | undefined,
  values: readonly string[],
  length: number,
): PathMatch | undefined {
  return takers === undefined ? undefined : { takers, values, length };
}

/** Calls `remove` with the takers of a path and clears away what is empty then. */
function removeBelow(
  node: Node,
  { path, depth }: { readonly path: RoutePath; readonly depth: number },
  remove: (takers: Takers) => void,
): void {
  if (depth === path.segments.length) {
    const takers = node[path.end];
    if (takers === undefined) return;
    remove(takers);
    if (takers.any === undefined && takers.named === undefined) node[path.end] = undefined;
    return;
  }
  const segment = path.segments[depth];
  const next = segment === undefined ? node.parameter : node.literals?.get(segment);
  if (next === undefined) return;
  removeBelow(next, { path, depth: depth + 1 }, remove);
  if (!isEmpty(next)) return;
  if (segment === undefined) node.parameter = undefined;
  else node.literals?.delete(segment);
  if (node.literals?.size === 0) node.literals = undefined;
}

function child(node: Node, segment: string | undefined): Node {
  if (segment === undefined) {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  node.literals ??= new Map();
  const next = node.literals.get(segment) ?? emptyNode();
  node.literals.set(segment, next);
  return next;
}

function emptyNode(): Node {
  return {
    literals: undefined,
    parameter: undefined,
    exact: undefined,
    rest: undefined,
    prefix: undefined,
  };
}

function isEmpty({ literals, parameter, exact, rest, prefix }: Node): boolean {
  return [literals, parameter, exact, rest, prefix].every((part) => part === undefined);
}
