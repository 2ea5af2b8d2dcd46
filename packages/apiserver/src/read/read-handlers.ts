import { presentList } from '../answer/presentation.ts';
import { requireKept, requireObject } from '../object/objects.ts';
import { scaleOf } from '../object/scale.ts';
import { createSelection } from '../object/selection.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { parseListOptions } from '../request/list-options.ts';
import {
  objectResponse,
  type ResourceRequest,
  respond,
  routeKey,
  scaleResponse,
  warningHeaders,
} from '../request/resource-request.ts';
import { asksForWatch } from '../request/route.ts';
import { watchObjects } from '../watch/watch-objects.ts';
import { listObjects } from './list.ts';

/** GET of one object, or of its status. */
export function getObject(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  return objectResponse(asked, requireKept(context, resource, routeKey(route)));
}

/** GET of an object's scale. */
export function getScale(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { object } = requireObject(context, resource, routeKey(route));
  return scaleResponse(asked, scaleOf(resource, object));
}

/** GET of a collection: a list, or a watch of it. */
export async function getCollection(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request, presentation } = asked;
  const options = parseListOptions(request.query, isWatch(asked));
  const selection = createSelection(resource, route, options);
  if (!options.watch) {
    const list = listObjects(context, resource, { selection, options });
    return respond(asked, presentList(presentation, list));
  }
  const watch = { selection, options, presentation, signal: request.signal };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...warningHeaders(resource, []) },
    body: { kind: 'events', batches: watchObjects(context, resource, watch) },
  };
}

/** Whether a GET asks for a watch, by its query or by the deprecated path. */
export function isWatch({ route, request }: Pick<ResourceRequest, 'route' | 'request'>): boolean {
  return asksForWatch(route, request.query);
}
