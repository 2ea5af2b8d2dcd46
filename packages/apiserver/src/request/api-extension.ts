import type { ApiRequest, ApiResponse } from './api-request.ts';
import type { ResourceRoute } from './route.ts';

/**
 * Resources of an API group that are not objects of the store, such as uploads. Who may do what to
 * them is decided by roles, as for all others, before they are asked.
 */
export interface ApiExtension {
  readonly group: string;
  /** Answers one request; a StatusError that it throws is the answer. */
  answer(route: ResourceRoute, request: ApiRequest): Promise<ApiResponse>;
}
