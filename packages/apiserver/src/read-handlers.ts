import type { ApiResponse } from './api-request.ts';
import { listObjects } from './list.ts';
import { parseListOptions } from './list-options.ts';
import { requireObject } from './objects.ts';
import { presentEvents, presentList } from './presentation.ts';
import {
  objectResponse,
  type ResourceRequest,
  respond,
  routeKey,
  warningHeaders,
} from './resource-request.ts';
import { scaleOf } from './scale.ts';
import { createSelection } from './selection.ts';
import { watchObjects } from './watch.ts';

/** GET of one object, or of its status. */
export function getObject(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { object } = requireObject(context, resource, routeKey(route));
  return objectResponse(asked, 200, object);
}

/** GET of an object's scale. */
export function getScale(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { object } = requireObject(context, resource, routeKey(route));
  return respond(asked, 200, scaleOf(resource, object));
}

/** GET of a collection: a list, or a watch of it. */
export async function getCollection(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request, presentation } = asked;
  const options = parseListOptions(request.query, isWatch(asked));
  const selection = createSelection(resource, route.namespace, options);
  const { name } = route;
  const matches = selection.matches;
  const named =
    name === undefined
      ? selection
      : {
          ...selection,
          matches: (object: Parameters<typeof matches>[0]) =>
            object.metadata.name === name && matches(object),
        };
  if (!options.watch) {
    return respond(
      asked,
      200,
      presentList(presentation, listObjects(context, resource, named, options)),
    );
  }
  const { signal } = request;
  const events = watchObjects(context, resource, { selection: named, options, signal });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...warningHeaders(resource, []) },
    body: { kind: 'documents', documents: presentEvents(presentation, events) },
  };
}

/** Whether a GET asks for a watch, by its query or by the deprecated path. */
export function isWatch({ route, request }: Pick<ResourceRequest, 'route' | 'request'>): boolean {
  const asked = request.query.get('watch');
  return route.watch || (asked !== null && !['', '0', 'false', 'f', 'F'].includes(asked));
}
