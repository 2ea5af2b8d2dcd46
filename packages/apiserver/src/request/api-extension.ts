import type { ApiRequest, ApiResponse } from './api-request.ts';
import type { ResourceRoute } from './route.ts';

/**
 * Resources of an API group that are not objects of the store, such as uploads. Who may do what to
 * them is decided by roles, as for all others, before they are asked.
 */
export interface ApiExtension {
  readonly group: string;
  /** What clients find out about it, preferred version first. Default: nothing. */
  readonly versions?: readonly ExtensionVersion[];
  /** Answers one request; a StatusError that it throws is the answer. */
  answer(route: ResourceRoute, request: ApiRequest): Promise<ApiResponse>;
}

/** One version of a group as discovery tells it (meta/v1 APIResourceList). */
export interface ExtensionVersion {
  readonly version: string;
  readonly resources: readonly ExtensionResource[];
}

export interface ExtensionResource {
  /** Lower-case plural, or with what is below it: `plural/subresource`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}
