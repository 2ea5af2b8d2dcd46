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
import { asksForWatch } from './route.ts';
import { scaleOf } from './scale.ts';
import { createSelection, type Selection } from './selection.ts';
import { watchObjects } from './watch.ts';

/** GET of one object, or of its status. */
export function getObject(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { object } = requireObject(context, resource, routeKey(route));
  return objectResponse(asked, object);
}

/** GET of an object's scale. */
export function getScale(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { object } = requireObject(context, resource, routeKey(route));
  return respond(asked, scaleOf(resource, object));
}

/** GET of a collection: a list, or a watch of it. */
export async function getCollection(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request, presentation } = asked;
  const options = parseListOptions(request.query, isWatch(asked));
  const selection = createSelection(resource, route.namespace, options);
  const named = onlyNamed(selection, route.name);
  if (!options.watch) {
    const list = listObjects(context, resource, { selection: named, options });
    return respond(asked, presentList(presentation, list));
  }
  const { signal } = request;
  const events = watchObjects(context, resource, { selection: named, options, signal });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...warningHeaders(resource, []) },
    body: { kind: 'documents', documents: presentEvents(presentation, events) },
  };
}

/** A watch of one object by its URL. */
function onlyNamed(selection: Selection, name: string | undefined): Selection {
  if (name === undefined) return selection;
  const { matches } = selection;
  return { ...selection, matches: (object) => object.metadata.name === name && matches(object) };
}

/** Whether a GET asks for a watch, by its query or by the deprecated path. */
export function isWatch({ route, request }: Pick<ResourceRequest, 'route' | 'request'>): boolean {
  return asksForWatch(route, request.query);
}
