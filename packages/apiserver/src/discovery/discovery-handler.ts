import { sha256 } from '@fnlet/base';
import type { RemoteVersion } from '../aggregation/api-services.ts';
import {
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  textResponse,
} from '../request/api-request.ts';
import { negotiate } from '../request/negotiation.ts';
import type { ResourceRoute, Route } from '../request/route.ts';
import type { Catalog } from '../resource/catalog.ts';
import { aggregatedDiscovery, isAggregatedDiscovery } from './aggregated-discovery.ts';
import { coreVersions, groupDocument, groupList, resourceList } from './discovery.ts';

type DiscoveryRoute = Exclude<Route, ResourceRoute | { readonly kind: 'other' }>;

/** What there is to be discovered. */
export interface Discoverable {
  readonly catalog: Catalog;
  /**
   * What others answer for. The document of everything leaves them out: it would take asking them
   * all.
   */
  readonly remotes: readonly RemoteVersion[];
}

/** Answers a request for what this server serves. */
export function handleDiscovery(
  served: Discoverable,
  route: DiscoveryRoute,
  request: ApiRequest,
): ApiResponse {
  const { catalog } = served;
  switch (route.kind) {
    case 'coreVersions':
      return rootDocument(served, request, 'api');
    case 'groups':
      return rootDocument(served, request, 'apis');
    case 'group':
      return found(groupDocument(served, route.group));
    case 'resources':
      return found(resourceList(catalog, route.group, route.version));
  }
}

function found(document: unknown): ApiResponse {
  return document === undefined ? pageNotFound() : jsonResponse(200, document);
}

/** What Go's mux says about a path that nobody serves. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}

function rootDocument(
  served: Discoverable,
  request: ApiRequest,
  root: 'api' | 'apis',
): ApiResponse {
  const { catalog } = served;
  const { transform } = negotiate(request.headers.accept, isAggregatedDiscovery);
  if (transform === undefined) {
    return jsonResponse(200, root === 'api' ? coreVersions(catalog) : groupList(served));
  }
  const { version } = transform;
  const value = aggregatedDiscovery(catalog, root, version);
  const etag = `"${sha256(JSON.stringify(value)).toUpperCase()}"`;
  const headers = { etag, 'cache-control': 'public', vary: 'Accept' };
  if (request.headers['if-none-match'] === etag) {
    return { ...textResponse(304, ''), headers };
  }
  // Clients take the answer for the legacy document unless its type says what it is.
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return jsonResponse(200, value, { ...headers, 'content-type': type });
}
