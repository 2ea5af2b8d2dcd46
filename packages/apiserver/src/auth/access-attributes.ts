import { parseFieldSelector } from '@fnlet/machinery';
import type { ApiRequest, User } from '../request/api-request.ts';
import { asksForWatch, type ResourceRoute, type Route } from '../request/route.ts';

/** What authorization is asked about: a user, a verb, and what it is done to. */
export type AccessAttributes = ResourceAttributes | PathAttributes;

/** Something done to objects. */
export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly user: User;
  /** `get`, `list`, `watch`, `create`, … or a verb that only rules know, such as `impersonate`. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Lower-case plural. */
  readonly resource: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped objects and for all namespaces. */
  readonly namespace: string;
  /** Empty for all objects, and for a new one. */
  readonly name: string;
}

/** A request to any other path. */
export interface PathAttributes {
  readonly kind: 'path';
  readonly user: User;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

type Asked = Pick<ApiRequest, 'method' | 'path' | 'query'>;

/** What a request asks to do (apiserver, request/requestinfo.go). */
export function requestAttributes(route: Route, request: Asked, user: User): AccessAttributes {
  if (route.kind !== 'resource') {
    const verb = request.method.toLowerCase();
    return { kind: 'path', user, verb, path: decodeURIComponent(request.path) };
  }
  const { group, version, plural, name, subresource = '' } = route;
  const verb = verbOf(route, request);
  return {
    kind: 'resource',
    user,
    verb,
    group,
    version,
    resource: plural,
    // What follows the first segment is for the subresource itself (`proxy/a/b`).
    subresource: subresource.split('/')[0] ?? '',
    namespace: namespaceOf(route),
    name: name ?? (verb === 'list' || verb === 'watch' ? selectedName(request.query) : ''),
  };
}

const connections: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/**
 * Everything that must be allowed for a request. A WebSocket begins with a GET, but whoever may
 * only read Pods must not run something in them (Kubernetes since 1.35).
 */
export function requiredAccess(
  route: Route,
  request: Asked,
  user: User,
): readonly AccessAttributes[] {
  const asked = requestAttributes(route, request, user);
  if (asked.kind === 'path' || asked.verb !== 'get') return [asked];
  const isConnection = asked.resource === 'pods' && connections.has(asked.subresource);
  return isConnection ? [asked, { ...asked, verb: 'create' }] : [asked];
}

function verbOf(route: ResourceRoute, { method, query }: Asked): string {
  const isNamed = route.name !== undefined;
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (asksForWatch(route, query)) return 'watch';
      return isNamed ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isNamed ? 'delete' : 'deletecollection';
    default:
      return '';
  }
}

// A Namespace lies in itself, so that a RoleBinding in it can let somebody read it.
function namespaceOf({ plural, namespace, name }: ResourceRoute): string {
  return plural === 'namespaces' && namespace === '' ? (name ?? '') : namespace;
}

/** A list or watch of one object by its name is allowed where that name is. */
function selectedName(query: URLSearchParams): string {
  const text = query.get('fieldSelector') ?? '';
  if (text === '') return '';
  try {
    const { requirements } = parseFieldSelector(text);
    const found = requirements.find(
      ({ field, operator }) => field === 'metadata.name' && operator === '=',
    );
    const name = found?.value ?? '';
    return /^(\.{1,2})$|[/%]/.test(name) ? '' : name;
  } catch {
    // The handler will say what is wrong with the selector.
    return '';
  }
}
