export { actAs } from './act-as.ts';
export {
  type Cache,
  type CacheEvent,
  type CacheOptions,
  type CacheStats,
  createCache,
} from './cache.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export { ClientError, type ClientErrorCode } from './client-error.ts';
export type { DiscoveredResource } from './discovered-resource.ts';
export { type DiscoverOptions, type Discovery, discover } from './discovery.ts';
export {
  createDiscoveryCache,
  type DiscoveryCache,
  type DiscoveryCacheOptions,
} from './discovery-cache.ts';
export { readFailure } from './failed-answer.ts';
export { type FormatKubeconfigOptions, formatKubeconfig } from './format-kubeconfig.ts';
export { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
export { installCrds } from './install-crds.ts';
export { type Kubeconfig, type LoadKubeconfigOptions, loadKubeconfig } from './kubeconfig.ts';
export { KubeconfigError, type KubeconfigErrorCode } from './kubeconfig-error.ts';
export type { ObjectList } from './object-list.ts';
export type { PartProjection, Projection } from './projection.ts';
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  Patch,
  PatchOptions,
  ReadOptions,
  ResourceClient,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts';
export { isOlderVersion } from './resource-version.ts';
export type { RateLimit } from './token-bucket.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export { TransportError, type TransportErrorCode } from './transport-error.ts';
export type { WatchEvent } from './watch-event.ts';
