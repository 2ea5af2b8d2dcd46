import { type ApiRequest, parseRoute } from '@fnlet/apiserver';

/** The verbs of a resource request, as authorization names them. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection';

/** What a request asks for; what it does not name is empty. */
export interface SeenRequest {
  /** `undefined` for requests that name no resource, such as discovery. */
  readonly verb: Verb | undefined;
  readonly group: string;
  /** Plural, such as `configmaps`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The absolute URL path as it was sent. */
  readonly path: string;
  /** Whose request it is. */
  readonly user: string;
}

/** Which requests a fault is for; what is left out matches anything. */
export interface RequestMatch {
  readonly verb?: Verb | readonly Verb[];
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Empty: the object itself only. */
  readonly subresource?: string;
  /** The name that the server knows the client by. */
  readonly user?: string;
}

const readVerbs: ReadonlySet<Verb> = new Set(['get', 'list', 'watch']);

/** Whether the verb changes something. */
export function isWrite(verb: Verb | undefined): boolean {
  return verb !== undefined && !readVerbs.has(verb);
}

/** Reads what a request asks for from its method, path and query. */
export function seeRequest(
  request: Pick<ApiRequest, 'method' | 'path' | 'query' | 'user'>,
): SeenRequest {
  const { method, path, query } = request;
  const user = request.user?.name ?? '';
  const route = parseRoute(path);
  if (route?.kind !== 'resource') {
    const nothing = { group: '', resource: '', namespace: '', name: '', subresource: '' };
    return { verb: undefined, ...nothing, path, user };
  }
  const isWatch = route.watch || /^(1|true)$/i.test(query.get('watch') ?? '');
  const named = route.name !== undefined;
  const verbs: Readonly<Record<string, Verb>> = {
    GET: isWatch ? 'watch' : named ? 'get' : 'list',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: named ? 'delete' : 'deletecollection',
  };
  return {
    verb: verbs[method],
    group: route.group,
    resource: route.plural,
    namespace: route.namespace,
    name: route.name ?? '',
    subresource: route.subresource ?? '',
    path,
    user,
  };
}

/** Whether `seen` is one of the requests that `match` describes. */
export function matches(seen: SeenRequest, match: RequestMatch): boolean {
  if (seen.verb === undefined) return false;
  const { verb, ...fields } = match;
  if (verb !== undefined) {
    const verbs: readonly Verb[] = typeof verb === 'string' ? [verb] : verb;
    if (!verbs.includes(seen.verb)) return false;
  }
  const { group, resource, namespace, name, subresource, user } = fields;
  return (
    (group === undefined || group === seen.group) &&
    (resource === undefined || resource === seen.resource) &&
    (namespace === undefined || namespace === seen.namespace) &&
    (name === undefined || name === seen.name) &&
    (subresource === undefined || subresource === seen.subresource) &&
    (user === undefined || user === seen.user)
  );
}
