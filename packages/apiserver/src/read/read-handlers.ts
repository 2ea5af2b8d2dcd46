import { presentList } from '../answer/presentation.ts';
import { requireShown, showList } from '../object/converted-objects.ts';
import { requireKept } from '../object/objects.ts';
import { scaleOf } from '../object/scale.ts';
import { createSelection } from '../object/selection.ts';
import type { ApiResponse } from '../request/api-request.ts';
import type { EventBatches } from '../request/event-batches.ts';
import { toDocument } from '../request/json-document.ts';
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
import { watchResponse } from '../streams/serve-watch.ts';
import { convertEvents } from '../watch/converted-events.ts';
import { type WatchRequest, watchObjects } from '../watch/watch-objects.ts';
import { listObjects } from './list.ts';

/** GET of one object, or of its status. */
export async function getObject(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  if (resource.strategy.convert !== undefined) {
    const { object } = await requireShown(context, resource, routeKey(route));
    return objectResponse(asked, toDocument(object));
  }
  return objectResponse(asked, requireKept(context, resource, routeKey(route)));
}

/** GET of an object's scale. */
export async function getScale(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { object } = await requireShown(context, resource, routeKey(route));
  return scaleResponse(asked, scaleOf(resource, object));
}

/** GET of a collection: a list, or a watch of it. */
export async function getCollection(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request, presentation } = asked;
  const options = parseListOptions(request.query, isWatch(asked));
  const selection = createSelection(resource.kept, route, options);
  if (!options.watch) {
    const list = listObjects(context, resource.kept, { selection, options });
    return respond(asked, presentList(presentation, await showList(resource, list)));
  }
  const watch = { selection, options, presentation, caller: request };
  return watchResponse(request, context.clock, {
    headers: { 'content-type': 'application/json', ...warningHeaders(resource, []) },
    batches: watchShown(asked, watch),
  });
}

function watchShown(
  { context, resource, presentation }: ResourceRequest,
  watch: WatchRequest,
): EventBatches {
  if (resource.strategy.convert === undefined) return watchObjects(context, resource, watch);
  const plain = { ...presentation, resource: resource.kept, transform: undefined };
  const events = watchObjects(context, resource.kept, { ...watch, presentation: plain });
  return convertEvents(context, presentation, events);
}

/** Whether a GET asks for a watch, by its query or by the deprecated path. */
export function isWatch({ route, request }: Pick<ResourceRequest, 'route' | 'request'>): boolean {
  return asksForWatch(route, request.query);
}
