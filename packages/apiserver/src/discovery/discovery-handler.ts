import { sha256 } from '@fnlet/base';
import type { RemoteVersion } from '../aggregation/api-services.ts';
import { methodNotAllowed, unknownResource } from '../answer/status-texts.ts';
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
import {
  type DiscoveredExtension,
  extensionEntry,
  extensionGroup,
  extensionResourceList,
} from './extension-discovery.ts';

type DiscoveryRoute = Exclude<Route, ResourceRoute | { readonly kind: 'other' }>;

/** What there is to be discovered. */
export interface Discoverable {
  readonly catalog: Catalog;
  /**
   * What others answer for. The document of everything leaves them out: it would take asking them
   * all.
   */
  readonly remotes: readonly RemoteVersion[];
  /** Groups that this server answers for and that have no objects; they come last. */
  readonly extensions: readonly DiscoveredExtension[];
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
      if (!isRead(request)) throw methodNotAllowed();
      return rootDocument(served, request, 'api');
    case 'groups':
      return rootDocument(served, request, 'apis');
    case 'group': {
      const extension = findExtension(served, route.group);
      if (extension === undefined) return found(groupDocument(served, route.group));
      return found({ kind: 'APIGroup', apiVersion: 'v1', ...extensionEntry(extension) });
    }
    case 'resources': {
      const { group, version } = route;
      const extension = findExtension(served, group);
      if (extension === undefined) {
        const resources = resourceList(catalog, group, version);
        if (resources === undefined && catalog.hasBuiltins(group)) throw unknownResource();
        return found(resources);
      }
      return found(extensionResourceList(extension, version));
    }
  }
}

/** One that nobody else has been given. */
function findExtension(
  { extensions, remotes }: Discoverable,
  group: string,
): DiscoveredExtension | undefined {
  if (remotes.some((remote) => remote.group === group)) return undefined;
  return extensions.find((extension) => extension.group === group);
}

function found(document: unknown): ApiResponse {
  return document === undefined ? pageNotFound() : jsonResponse(200, document);
}

/** Whether nothing is asked to change. */
export function isRead({ method }: Pick<ApiRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
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
  const { catalog, remotes } = served;
  const others = served.extensions.filter(
    ({ group }) => root === 'apis' && !remotes.some((remote) => remote.group === group),
  );
  const { transform } = negotiate(request.headers.accept, isAggregatedDiscovery);
  if (transform === undefined) {
    return jsonResponse(
      200,
      root === 'api' ? coreVersions(catalog) : groupList(served, others.map(extensionEntry)),
    );
  }
  const { version } = transform;
  const value = aggregatedDiscovery(catalog, root, {
    version,
    others: others.map(extensionGroup),
  });
  const etag = `"${sha256(JSON.stringify(value)).toUpperCase()}"`;
  const headers = { etag, 'cache-control': 'public', vary: 'Accept' };
  if (request.headers['if-none-match'] === etag) {
    return { ...textResponse(304, ''), headers };
  }
  // Clients take the answer for the legacy document unless its type says what it is.
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return jsonResponse(200, value, { ...headers, 'content-type': type });
}
