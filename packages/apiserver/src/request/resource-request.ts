import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { type Presentation, parseIncludeObject, presentObject } from '../answer/presentation.ts';
import type { ApiContext } from '../api-context.ts';
import { scaleColumns } from '../object/scale.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import type { ApiRequest, ApiResponse, User } from './api-request.ts';
import { type JsonDocument, toDocument } from './json-document.ts';
import { isMetaTransform, type MediaType, negotiate, type Transform } from './negotiation.ts';
import type { ResourceRoute } from './route.ts';

/** A request to a served resource, with everything that handlers need. */
export interface ResourceRequest {
  readonly context: ApiContext;
  readonly resource: Resource;
  readonly route: ResourceRoute;
  readonly request: ApiRequest;
  readonly user: User;
  readonly presentation: Presentation;
  readonly mediaType: MediaType;
  /** What the client is told besides the answer; whoever handles the request adds to it. */
  readonly notices: Set<string>;
}

/** @throws StatusError `NotAcceptable`, `BadRequest` */
export function createResourceRequest(
  parts: Omit<ResourceRequest, 'presentation' | 'mediaType' | 'notices'>,
): ResourceRequest {
  const { request, resource, context, route } = parts;
  // What a proxied request takes is between its client and whoever it is sent on to.
  const accept = isProxied(route) ? undefined : request.headers.accept;
  const { custom, answer } = resource.strategy;
  // Answers to questions are kept nowhere: they have no Table.
  const allows = (asked: Transform): boolean =>
    isMetaTransform(asked) && (answer === undefined || asked.kind !== 'Table');
  const { mediaType, transform } = negotiate(accept, allows, { isRouted: !custom });
  const include = transform?.kind === 'Table' ? parseIncludeObject(request.query) : 'Metadata';
  const presentation = { resource, transform, include, clock: context.clock };
  return { ...parts, mediaType, presentation, notices: new Set() };
}

/** Whether the rest of the URL is for whom the request is handed on to. */
export function isProxied({ subresource }: ResourceRoute): boolean {
  return subresource?.split('/')[0] === 'proxy';
}

/** The key of the object that the URL names. */
export function routeKey(route: ResourceRoute): ObjectKey {
  return { namespace: route.namespace, name: route.name ?? '' };
}

/** Who asks, for rules and answers that depend on it. */
export function askerOf({ context, route, request, user, notices }: ResourceRequest): Asker {
  const { access, identify } = context;
  const { namespace, subresource } = route;
  const warn = (text: string): void => {
    notices.add(headerText(text));
  };
  return { user, namespace, subresource, access, identify, query: request.query, warn };
}

/** Text as a header can carry it. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => (/\s/.test(character) ? ' ' : '?'));
}

export interface ResponseOptions {
  /** Default 200. */
  readonly status?: number;
  /** What the client should be told besides. Default none. */
  readonly warnings?: readonly string[];
}

/** An answer with one object of the resource, in the shape that the client asked for. */
export function objectResponse(
  asked: ResourceRequest,
  object: JsonDocument<KubeObject>,
  options: ResponseOptions = {},
): Promise<ApiResponse> {
  return respond(asked, presentObject(asked.presentation, object), options);
}

/** An answer with the Scale of an object: its Table has columns of its own. */
export function scaleResponse(asked: ResourceRequest, scale: KubeObject): Promise<ApiResponse> {
  const strategy = { ...asked.resource.strategy, columns: scaleColumns };
  const resource = { ...asked.resource, strategy };
  const presentation = { ...asked.presentation, resource };
  return objectResponse({ ...asked, presentation }, toDocument(scale));
}

/** An answer with any document, in the encoding that the client asked for. */
export async function respond(
  { mediaType, resource, notices }: Pick<ResourceRequest, 'mediaType' | 'resource' | 'notices'>,
  document: JsonDocument,
  { status = 200, warnings = [] }: ResponseOptions = {},
): Promise<ApiResponse> {
  const all = notices.size === 0 ? warnings : [...warnings, ...notices];
  const headers = { 'content-type': mediaType, ...warningHeaders(resource, all) };
  if (mediaType === 'application/json')
    return { status, headers, body: { kind: 'json', document } };
  const { formatYaml } = await import('./yaml.ts');
  return { status, headers, body: { kind: 'text', text: formatYaml(document.value) } };
}

/** RFC 7234 warnings with code 299, as kubectl prints them. */
export function warningHeaders(
  resource: Resource,
  warnings: readonly string[],
): Readonly<Record<string, string>> {
  const { deprecation } = resource.strategy;
  const all = deprecation === undefined ? warnings : [deprecation, ...warnings];
  if (all.length === 0) return {};
  return { warning: all.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') };
}
