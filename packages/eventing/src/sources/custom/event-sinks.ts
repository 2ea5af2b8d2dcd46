import type { TriggerObject } from '@fnlet/api';
import type { Cache } from '@fnlet/client';
import type { Responder } from '@fnlet/gateway';
import { refusedAnswer } from '../../ingress/event-answers.ts';
import type { EventEndpoints } from '../http/event-endpoints.ts';
import { httpEventLimits } from '../http/limits.ts';
import { customEndpoint } from './custom-endpoint.ts';

/** Path of the Gateway below which events are sent. */
const sinkPath = '/-/events/';

/**
 * Where programs send the events of a custom source.
 *
 * @param gatewayUrl such as `http://127.0.0.1:8080`
 */
export function sinkUrl(gatewayUrl: string, namespace: string, name: string): string {
  return `${gatewayUrl}${sinkPath}${namespace}/${name}`;
}

/**
 * Takes the events of all custom sources, by their path. Who asks for one that is not there hears
 * what they hear who have not its token.
 */
export function createEventSinks({
  triggers,
  endpoints,
}: {
  readonly triggers: Pick<Cache<TriggerObject>, 'get'>;
  readonly endpoints: EventEndpoints;
}): Responder {
  return {
    bodyBytesMax: httpEventLimits.bodyBytesMax,
    async respond(request, signal) {
      const [path = ''] = request.target.slice(sinkPath.length).split('?', 1);
      const [namespace = '', name = '', ...rest] = path.split('/');
      const trigger = rest.length > 0 ? undefined : triggers.get({ namespace, name });
      if (trigger?.spec.source.custom === undefined) return refusedAnswer();
      return endpoints.responder(customEndpoint(namespace, name)).respond(request, signal);
    },
  };
}
