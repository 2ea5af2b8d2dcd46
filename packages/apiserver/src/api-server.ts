import type { Clock, Logger, MetricFamily, Random } from '@fnlet/base';
import type { Transport } from '@fnlet/client';
import type { Store } from '@fnlet/store';
import { RequestAdmission } from './admission/request-admission.ts';
import type { PostToWebhook } from './admission/webhook-post.ts';
import { Aggregator } from './aggregation/aggregator.ts';
import { badRequest, methodNotAllowed, unknownResource } from './answer/status-texts.ts';
import { statusCode, toStatus } from './answer/to-status.ts';
import type { ApiContext } from './api-context.ts';
import { requiredAccess } from './auth/access-attributes.ts';
import {
  adminUser,
  authenticate,
  createTokenLookup,
  type TokenIdentity,
} from './auth/authentication.ts';
import { impersonate } from './auth/impersonation.ts';
import { RbacAccess } from './auth/rbac-access.ts';
import { requireAccess } from './auth/require-access.ts';
import { runPolicy } from './auth/run-policy.ts';
import { ServiceAccountTokens } from './auth/service-account-tokens.ts';
import { builtinStrategies } from './builtins/builtin-strategies.ts';
import { ServiceNumbers } from './builtins/networking/service-numbers.ts';
import { startControllers } from './controllers/controllers.ts';
import { handleDiscovery, pageNotFound } from './discovery/discovery-handler.ts';
import { type DiscoveredExtension, isDiscovered } from './discovery/extension-discovery.ts';
import { OpenApiIndex } from './discovery/open-api-index.ts';
import { handleOther, type OtherParts } from './discovery/other-handler.ts';
import { createInProcessTransport } from './in-process-transport.ts';
import { metricsPage } from './metrics/metrics-page.ts';
import { metricsStrategies } from './metrics/metrics-strategies.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import type { PodRuntime } from './pod/pod-runtime.ts';
import { Quotas } from './quota/quotas.ts';
import type { ApiExtension } from './request/api-extension.ts';
import {
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  type User,
} from './request/api-request.ts';
import { createResourceRequest } from './request/resource-request.ts';
import { parseRoute, type ResourceRoute, type Route } from './request/route.ts';
import { Catalog } from './resource/catalog.ts';
import { createResource, type Resource } from './resource/resource.ts';
import { handleResource } from './resource/resource-handler.ts';
import { KindFeeds } from './watch/kind-feed.ts';

export interface ApiServerOptions {
  /** Where objects are kept; its owner closes it, after the server. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Bearer tokens and whom they stand for. Default: none, so that only health answers. */
  readonly tokens?: readonly TokenIdentity[];
  /** The certificate of the authority, for the ConfigMap kube-root-ca.crt. Default: empty. */
  readonly caPem?: string;
  /**
   * The private key, RSA or P-256 in PEM, that tokens of ServiceAccounts are signed with. Default:
   * one that is made when it is first needed, and kept in the store.
   */
  readonly tokenKeyPem?: string;
  /** What runs the Pods, for their logs. Default: nothing does. */
  readonly podRuntime?: PodRuntime;
  /** The way out to webhooks. Default: HTTPS. */
  readonly postToWebhook?: PostToWebhook;
  /** Who answers for groups that have no objects. Default: nobody. */
  readonly extensions?: readonly ApiExtension[];
  /** What `/metrics` tells beside what the API counts itself. Default: nothing. */
  readonly metrics?: () => readonly MetricFamily[];
}

/**
 * The embedded Kubernetes API, independent of any connection.
 *
 * @example
 * const server = createApiServer({ store, clock, random, logger });
 * await server.start();
 * const client = createClient(server.transport());
 */
export interface ApiServer extends AsyncDisposable {
  /** Answers one request; never rejects. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** The API for callers in this process. Default user: the administrator. */
  transport(user?: User): Transport;
  /** Begins the work behind the API; resolves when it is ready to be used. */
  start(): Promise<void>;
  /** Ends controllers and watches. The store stays open. */
  close(): Promise<void>;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  return new EmbeddedApiServer(options);
}

class EmbeddedApiServer implements ApiServer {
  readonly #context: ApiContext;
  readonly #access: RbacAccess;
  readonly #extensions: ReadonlyMap<string, ApiExtension>;
  readonly #aggregator: Aggregator;
  /** Those that clients are told about. */
  readonly #discovered: readonly DiscoveredExtension[];
  readonly #caPem: string;
  readonly #openApi: OpenApiIndex;
  readonly #metrics: RequestMetrics;
  readonly #otherMetrics: () => readonly MetricFamily[];
  readonly #serviceNumbers: ServiceNumbers;
  readonly #closed = new AbortController();
  #controllers: Promise<unknown> | undefined;
  #isReady = false;

  constructor(options: ApiServerOptions) {
    const { tokens = [], caPem = '', tokenKeyPem, podRuntime, ...rest } = options;
    const { postToWebhook = postOverHttps, extensions = [], ...parts } = rest;
    this.#otherMetrics = options.metrics ?? (() => []);
    this.#discovered = extensions.filter(isDiscovered);
    this.#extensions = new Map(extensions.map((extension) => [extension.group, extension]));
    const catalog = new Catalog();
    const metrics = podRuntime?.readUsage === undefined ? [] : metricsStrategies;
    for (const strategy of [...builtinStrategies, ...metrics])
      catalog.add(createResource(strategy));
    this.#access = new RbacAccess(parts);
    const { store, clock } = parts;
    const tokenIssuer = new ServiceAccountTokens({ store, clock, catalog, keyPem: tokenKeyPem });
    const identify = createTokenLookup(tokens, tokenIssuer);
    const access = this.#access;
    const feeds = new KindFeeds(store, clock);
    const admission = new RequestAdmission({
      ...parts,
      catalog,
      access,
      podRuntime,
      postToWebhook,
    });
    this.#serviceNumbers = new ServiceNumbers(store);
    const quotas = new Quotas(store);
    const shared = { catalog, access, admission, identify, tokenIssuer, feeds, quotas };
    const serviceNumbers = this.#serviceNumbers;
    this.#context = { ...parts, ...shared, serviceNumbers, podRuntime, postToWebhook };
    this.#aggregator = new Aggregator(this.#context, () => this.transport());
    this.#caPem = caPem;
    this.#openApi = new OpenApiIndex(catalog);
    this.#metrics = new RequestMetrics(catalog, parts.clock);
  }

  async start(): Promise<void> {
    const { ready, done } = startControllers(this.#context, this.#caPem, this.#closed.signal);
    // Behind the start: who needs the roles waits for them, and the administrator does not.
    const policy = ready.then(() => runPolicy(this.#context, this.#access, this.#closed.signal));
    this.#controllers = Promise.all([done, policy]);
    await ready;
    this.#aggregator.prepare();
    this.#isReady = true;
  }

  async close(): Promise<void> {
    this.#isReady = false;
    this.#closed.abort();
    this.#aggregator.close();
    this.#context.feeds.close();
    this.#context.admission.close();
    this.#context.quotas.close();
    this.#serviceNumbers.close();
    await this.#controllers;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  transport(user: User = adminUser): Transport {
    return createInProcessTransport((request) => this.handle(request), user);
  }

  handle(request: ApiRequest): Promise<ApiResponse> {
    const route = parseRoute(request.path);
    return this.#metrics.track(request, route, () => this.#handle(request, route));
  }

  async #handle(request: ApiRequest, route: Route | undefined): Promise<ApiResponse> {
    try {
      return withCacheControl(await this.#answer(request, route));
    } catch (error) {
      const status = toStatus(error, this.#context.logger);
      const retryAfter = status.details?.retryAfterSeconds;
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return withCacheControl(jsonResponse(statusCode(status), status, headers));
    }
  }

  async #answer(request: ApiRequest, route: Route | undefined): Promise<ApiResponse> {
    if (route === undefined) throw badRequest('the URL path is not properly encoded');
    const { access, identify } = this.#context;
    const asker = authenticate(request, identify);
    const user = await impersonate(request.headers, asker, access);
    await requireAccess(access, requiredAccess(route, request, user));
    if (route.kind === 'resource' || route.kind === 'resources') {
      const remote = this.#aggregator.find(route.group, route.version);
      if (remote !== undefined) return this.#aggregator.passOn(remote, request, user);
    }
    if (route.kind === 'resource') return this.#answerResource(route, request, user);
    const { catalog } = this.#context;
    if (route.kind !== 'other') {
      const discoverable = {
        catalog,
        remotes: this.#aggregator.list(),
        extensions: this.#discovered,
      };
      return handleDiscovery(discoverable, route, request);
    }
    return handleOther(this.#otherParts(), route.path, request);
  }

  #otherParts(): OtherParts {
    const { catalog, clock, store, tokenIssuer } = this.#context;
    const health = { isReady: this.#isReady, isStoreOpen: () => isOpen(store) };
    const metrics = (): ApiResponse =>
      metricsPage({ requests: this.#metrics, catalog, store, others: this.#otherMetrics() });
    const now = clock.now();
    return { catalog, openApi: this.#openApi, tokenIssuer, health, metrics, now };
  }

  async #answerResource(
    route: ResourceRoute,
    request: ApiRequest,
    user: User,
  ): Promise<ApiResponse> {
    const context = this.#context;
    const { group, version, plural } = route;
    const resource = context.catalog.find(group, version, plural);
    if (resource === undefined) {
      const extension = this.#extensions.get(group);
      if (extension !== undefined) return extension.answer(route, request);
      if (!context.catalog.hasBuiltins(group)) return pageNotFound();
      throw unknownResource();
    }
    const misfit = findMisfit(resource, route, request);
    if (misfit !== undefined) {
      if (resource.strategy.custom) return pageNotFound();
      throw misfit === 'path' ? unknownResource() : methodNotAllowed();
    }
    return handleResource(createResourceRequest({ context, resource, route, request, user }));
  }
}

/**
 * What about a request does not fit where the objects of the resource are: those of a namespace are
 * named, made and deleted within it, and only read in all of them at once; all others are in none.
 */
function findMisfit(
  { strategy }: Resource,
  { namespace, name, watch }: ResourceRoute,
  { method }: ApiRequest,
): 'path' | 'method' | undefined {
  const { namespaced } = strategy.type;
  if (namespaced === (namespace !== '')) return undefined;
  if (!namespaced || (name !== undefined && !watch)) return 'path';
  return method === 'GET' || method === 'HEAD' ? undefined : 'method';
}

/** Loaded when the first webhook is called. */
const postOverHttps: PostToWebhook = async (call) =>
  (await import('./admission/https-post.ts')).postOverHttps(call);

// A store that is closed or broken says so to whoever asks it for anything.
function isOpen(store: Store): boolean {
  try {
    store.count('health/');
    return true;
  } catch {
    return false;
  }
}

function withCacheControl(response: ApiResponse): ApiResponse {
  if (response.headers['cache-control'] !== undefined) return response;
  return { ...response, headers: { ...response.headers, 'cache-control': 'no-cache, private' } };
}
