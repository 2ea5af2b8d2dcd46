/** What a URL names (apiserver, request/requestinfo.go). */
export type Route =
  | ResourceRoute
  | { readonly kind: 'coreVersions' }
  | { readonly kind: 'groups' }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'resources'; readonly group: string; readonly version: string }
  | { readonly kind: 'other'; readonly path: string };

/** A collection, an object, or a subresource of an object. */
export interface ResourceRoute {
  readonly kind: 'resource';
  readonly group: string;
  readonly version: string;
  /** Lower-case plural. */
  readonly plural: string;
  /** Empty for cluster-scoped objects and for lists over all namespaces. */
  readonly namespace: string;
  readonly name: string | undefined;
  /** `status`, `scale`, `log`, `proxy/a/b`, … */
  readonly subresource: string | undefined;
  /** The deprecated `/api/v1/watch/…` form. */
  readonly watch: boolean;
}

// These stand after a Namespace's own name; everything else there is a resource inside it.
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Reads a percent-encoded URL path; `undefined` when its encoding is broken. */
export function parseRoute(path: string): Route | undefined {
  // Go's mux knows no such path, so nobody is asked what it could mean.
  if (path.startsWith('//')) return { kind: 'other', path };
  const segments: string[] = [];
  for (const part of path.replace(/^\/|\/+$/g, '').split('/')) {
    const segment = decodeSegment(part);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  const [root, ...rest] = segments;
  if (root === 'api') return parseVersion('', rest, { kind: 'coreVersions' });
  if (root !== 'apis') return { kind: 'other', path };
  const [group, ...inGroup] = rest;
  if (group === undefined) return { kind: 'groups' };
  return parseVersion(group, inGroup, { kind: 'group', group });
}

/** Whether a GET is for a watch, by its query or by the deprecated path. */
export function asksForWatch(route: ResourceRoute, query: URLSearchParams): boolean {
  const asked = query.get('watch') ?? '';
  return route.watch || !['', '0', 'f', 'F', 'false', 'False', 'FALSE'].includes(asked);
}

function decodeSegment(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function parseVersion(group: string, segments: readonly string[], otherwise: Route): Route {
  const [version, ...rest] = segments;
  if (version === undefined) return otherwise;
  if (rest.length === 0) return { kind: 'resources', group, version };
  const watch = rest[0] === 'watch';
  return parseResource(group, version, { segments: watch ? rest.slice(1) : rest, watch });
}

function parseResource(
  group: string,
  version: string,
  rest: { readonly segments: readonly string[]; readonly watch: boolean },
): ResourceRoute {
  let segments = rest.segments;
  let namespace = '';
  const [first, second, third] = segments;
  if (first === 'namespaces' && second !== undefined) {
    namespace = second;
    if (third !== undefined && !namespaceSubresources.has(third)) segments = segments.slice(2);
    else namespace = '';
  }
  const [plural = '', name, ...subresource] = segments;
  return {
    kind: 'resource',
    group,
    version,
    plural,
    namespace,
    name,
    subresource: subresource.length === 0 ? undefined : subresource.join('/'),
    watch: rest.watch,
  };
}
