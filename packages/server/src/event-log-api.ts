/**
 * How what keeps events is, for those who look after an installation:
 *
 *     GET /apis/events.fnlet.dev/v1alpha1/eventlogs
 *
 * It is looked at when somebody asks, and tells no addresses: they may have passwords.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver/extension';
import { jsonResponse } from '@fnlet/apiserver/extension';
import { statusError } from '@fnlet/machinery';
import type { JetStreamHealth } from '@fnlet/store/log';

/** Where events are kept, and how that is. */
export type EventLogHealth =
  | { readonly place: 'lmdb' }
  | { readonly place: 'nats'; readonly nats: JetStreamHealth };

/** What is asked, and of what. */
export interface EventLogAsked {
  /** `undefined`: nobody looks here. */
  readonly inspect: (() => Promise<EventLogHealth>) | undefined;
  readonly route: Pick<ResourceRoute, 'namespace' | 'name' | 'subresource'>;
  readonly request: Pick<ApiRequest, 'method'>;
}

/** Answers one request about the log. */
export async function answerEventLog({
  inspect,
  route,
  request,
}: EventLogAsked): Promise<ApiResponse> {
  const { namespace, name, subresource } = route;
  const isAll = namespace === '' && name === undefined && subresource === undefined;
  if (inspect === undefined || !isAll) {
    throw statusError('NotFound', 'there is one log of events, which an installation has');
  }
  if (request.method !== 'GET') throw statusError('MethodNotAllowed', 'eventlogs are read');
  const health = await inspect();
  const about = { apiVersion: 'events.fnlet.dev/v1alpha1', kind: 'EventLog' };
  return jsonResponse(200, { ...about, ...health });
}
