import type { KubeObject } from '@fnlet/machinery';
import { presentList } from '../answer/presentation.ts';
import { notFound, notImplemented } from '../answer/status-texts.ts';
import { readObject } from '../object/objects.ts';
import { createSelection } from '../object/selection.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { toDocument } from '../request/json-document.ts';
import { parseListOptions } from '../request/list-options.ts';
import { objectResponse, type ResourceRequest, respond } from '../request/resource-request.ts';
import { type FindLabels, nodeMetrics, podMetrics } from './usage-metrics.ts';

/**
 * GET of metrics.k8s.io: every answer is a reading of now.
 *
 * @throws StatusError `NotFound`, `BadRequest`, `ServiceUnavailable` (nothing runs yet)
 */
export async function getMetrics(asked: ResourceRequest): Promise<ApiResponse> {
  const { resource, route, context, request, presentation } = asked;
  const { type } = resource.strategy;
  const { name, namespace } = route;
  const objects = await readMetrics(asked);
  if (name !== undefined) {
    const isAsked = ({ metadata }: KubeObject): boolean =>
      metadata.name === name && (metadata.namespace ?? '') === namespace;
    const object = objects.find(isAsked);
    if (object === undefined) throw notFound(type, name);
    return objectResponse(asked, toDocument(object));
  }
  const selection = createSelection(resource, route, parseListOptions(request.query, false));
  const items = objects.filter(
    (object) =>
      (namespace === '' || object.metadata.namespace === namespace) && selection.matches(object),
  );
  const { revision } = context.store;
  const list = {
    items: items.map(toDocument),
    revision,
    continueToken: undefined,
    remaining: undefined,
  };
  return respond(asked, presentList(presentation, list));
}

async function readMetrics(asked: ResourceRequest): Promise<readonly KubeObject[]> {
  const { context, resource, request } = asked;
  const reading = await context.podRuntime?.readUsage?.(request.signal);
  if (reading === undefined) throw notImplemented('this API server has no readings of Pods');
  const { plural } = resource.strategy.type;
  // metrics.k8s.io names its resources after those of the core group that they tell about.
  const core = context.catalog.find('', 'v1', plural);
  const labelsOf: FindLabels = (key) => {
    const found = core === undefined ? undefined : readObject(context, core, key);
    return found === undefined ? undefined : (found.object.metadata.labels ?? {});
  };
  return plural === 'nodes' ? nodeMetrics(reading, labelsOf) : podMetrics(reading, labelsOf);
}
