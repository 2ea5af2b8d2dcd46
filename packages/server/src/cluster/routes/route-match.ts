import type { HttpPath, HttpSource } from '@fnlet/api';

/** Paths as Ingress and HTTPRoute both know them. */
export interface RouteMatch {
  readonly type: 'Exact' | 'Prefix';
  readonly path: string;
}

/** What of a path both kinds take, letter by letter (HTTPRoute, HTTPPathMatch). */
const plain = /^([-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})*$/;

/**
 * The paths of a route, so that every request of it comes through. What these kinds cannot say,
 * as a parameter in a path, is passed on more broadly: the Gateway of Fnlet decides in the end.
 */
export function matchesOf({ paths = [{ prefix: '/' }] }: HttpSource): readonly RouteMatch[] {
  const found = new Map<string, RouteMatch>();
  for (const match of paths.map(matchOf)) found.set(`${match.type} ${match.path}`, match);
  return [...found.values()];
}

function matchOf({ exact, prefix, pattern = '/' }: HttpPath): RouteMatch {
  if (exact !== undefined) return narrow({ type: 'Exact', path: exact });
  if (prefix !== undefined) return narrow({ type: 'Prefix', path: prefix });
  const begin = pattern.indexOf('{');
  if (begin < 0) return narrow({ type: 'Exact', path: pattern });
  return narrow({ type: 'Prefix', path: parentOf(pattern.slice(0, begin)) });
}

/** The match itself, or the longest prefix of it that both kinds take. */
function narrow(match: RouteMatch): RouteMatch {
  if (plain.test(match.path)) return match;
  let path = match.path;
  while (!plain.test(path)) path = parentOf(path);
  return { type: 'Prefix', path };
}

/** `/a` of `/a/b` and of `/a/`. */
function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
