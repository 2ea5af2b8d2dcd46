import type { Field, FieldChanges } from './field-changes.ts';

/** Which pages of other origins may call (WHATWG Fetch, CORS protocol). */
export interface CorsSettings {
  /** `*`, an origin such as `https://example.com`, or one for all subdomains: `https://*.a.b`. */
  readonly origins: readonly string[];
  /** Default: GET, HEAD, POST, PUT, PATCH, DELETE. */
  readonly methods?: readonly string[];
  /** Request headers; `*` for any. Default: those that are asked for. */
  readonly headers?: readonly string[];
  readonly exposedHeaders?: readonly string[];
  /** Whether pages may send cookies and credentials. */
  readonly credentials?: boolean;
  /** How long browsers may remember the answer to a preflight. */
  readonly maxAgeSeconds?: number;
}

/** The fields of a request that matter. */
export interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  /** Access-Control-Request-Method and -Headers. */
  readonly requestMethod: string | undefined;
  readonly requestHeaders: string | undefined;
}

/** What CORS makes of a request. */
export type CorsDecision =
  /** It only asks whether it may call: it is answered 204 with these fields. */
  | { readonly kind: 'preflight'; readonly fields: readonly Field[] }
  | { readonly kind: 'actual'; readonly changes: FieldChanges };

const defaultMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What the function says itself would contradict the route: two such fields are none. */
const answered: ReadonlySet<string> = new Set([
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
]);

/**
 * Decides what pages of the request's origin may see. An origin that is not allowed is told
 * nothing, so that its browser keeps the answer from the page. That keeps nobody from calling.
 */
export function decideCors(settings: CorsSettings, request: CorsRequest): CorsDecision {
  const { method, origin, requestMethod } = request;
  const vary: readonly Field[] = dependsOnOrigin(settings) ? [['Vary', 'Origin']] : [];
  const allowed = origin === undefined ? undefined : allowedOrigin(settings, origin);
  if (method === 'OPTIONS' && origin !== undefined && requestMethod !== undefined) {
    const given = allowed === undefined ? [] : preflightFields(settings, allowed, request);
    return { kind: 'preflight', fields: [...given, ...vary] };
  }
  const given = allowed === undefined ? [] : actualFields(settings, allowed);
  return { kind: 'actual', changes: { remove: answered, add: [...given, ...vary] } };
}

function dependsOnOrigin({ origins, credentials = false }: CorsSettings): boolean {
  return credentials || !origins.includes('*');
}

/** What Access-Control-Allow-Origin says; `undefined` when the origin is not allowed. */
function allowedOrigin(settings: CorsSettings, origin: string): string | undefined {
  if (!settings.origins.some((pattern) => matchesOrigin(pattern, origin))) return undefined;
  // With credentials browsers do not take "*".
  return dependsOnOrigin(settings) ? origin : '*';
}

/**
 * Whether an origin is meant by a pattern. Scheme and port have to be the same, and a wildcard
 * stands for one label or more, never for none: `https://*.a.b` is not `https://a.b`.
 */
export function matchesOrigin(pattern: string, origin: string): boolean {
  if (pattern === '*') return isOrigin(origin) || origin === 'null';
  const wanted = pattern.toLowerCase();
  const found = origin.toLowerCase();
  const star = wanted.indexOf('://*.');
  if (star < 0) return wanted === found;
  const scheme = wanted.slice(0, star + 3);
  const parent = wanted.slice(star + 4);
  if (!found.startsWith(scheme) || !found.endsWith(parent)) return false;
  return labelsPattern.test(found.slice(scheme.length, -parent.length));
}

const labelsPattern = /^[a-z\d](?:[a-z\d-]*)(?:\.[a-z\d][a-z\d-]*)*$/;
const originPattern = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@,]+$/i;

function isOrigin(text: string): boolean {
  return originPattern.test(text);
}

function preflightFields(
  settings: CorsSettings,
  allowed: string,
  { requestHeaders }: CorsRequest,
): readonly Field[] {
  const { methods = defaultMethods, headers, credentials = false, maxAgeSeconds } = settings;
  const asked = sanitiseNames(requestHeaders);
  const takesAll = headers === undefined || headers.includes('*');
  const names = takesAll ? asked : headers.join(', ');
  return [
    ['Access-Control-Allow-Origin', allowed],
    ...optional('Access-Control-Allow-Credentials', credentials ? 'true' : ''),
    ['Access-Control-Allow-Methods', methods.join(', ')],
    ...optional('Access-Control-Allow-Headers', names),
    ...optional('Access-Control-Max-Age', maxAgeSeconds === undefined ? '' : `${maxAgeSeconds}`),
    ...(takesAll ? [['Vary', 'Access-Control-Request-Headers'] as const] : []),
  ];
}

function actualFields(settings: CorsSettings, allowed: string): readonly Field[] {
  const { exposedHeaders = [], credentials = false } = settings;
  return [
    ['Access-Control-Allow-Origin', allowed],
    ...optional('Access-Control-Allow-Credentials', credentials ? 'true' : ''),
    ...optional('Access-Control-Expose-Headers', exposedHeaders.join(', ')),
  ];
}

function optional(name: string, value: string): readonly Field[] {
  return value === '' ? [] : [[name, value]];
}

/** The names of fields in a list; what is none is left out. */
function sanitiseNames(list: string | undefined): string {
  const names = (list ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name)).join(', ');
}
