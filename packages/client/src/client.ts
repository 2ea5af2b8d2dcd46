import { type Clock, hasCode, isJsonObject, type JsonObject, systemClock } from '@fnlet/base';
import { type KubeObject, type ObjectKey, type ResourceType, resourcePath } from '@fnlet/machinery';
import { ClientError } from './client-error.ts';
import { parseObject } from './kube-object-guard.ts';
import { limits } from './limits.ts';
import type { ObjectList } from './object-list.ts';
import { metadataProjection, type Projection, parseProjection } from './projection.ts';
import { readList, readWatch } from './read-objects.ts';
import type {
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
  SubresourceRequest,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts';
import { type Requester, send } from './send.ts';
import { type RateLimit, TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest } from './transport.ts';
import type { WatchEvent } from './watch-event.ts';

export interface ClientOptions {
  /** Who owns the fields that this client writes; shown in `metadata.managedFields`. */
  readonly fieldManager: string;
  /** Waits for Retry-After run on it. Default: the machine's clock. */
  readonly clock?: Clock;
  /** How many requests it sends at most. Default: no limit; a server that has too many says 429. */
  readonly rateLimit?: RateLimit | undefined;
}

/** A Kubernetes API, kind by kind. */
export interface Client {
  readonly transport: Transport;
  readonly fieldManager: string;
  /** The same API, written to in the name of another owner of fields. */
  as(fieldManager: string): Client;
  /** The same API by another way, such as one that counts; with the same rate limit. */
  over(transport: Transport): Client;
  /** The objects of `type`. `T` is the caller's word for what the server's schema ensures. */
  of<T extends KubeObject>(type: ResourceType): ResourceClient<T>;
}

/**
 * A typed client over any transport.
 *
 * An answer 429 or 503 with Retry-After is waited out and the request repeated, a few times: the
 * server promises with it that nothing has happened.
 *
 * @example
 * const client = createClient(transport, { fieldManager: 'fnlet' });
 * const configMaps = client.of<ConfigMap>(configMapType);
 * await configMaps.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
 */
export function createClient(transport: Transport, options: ClientOptions): Client {
  const { fieldManager, clock = systemClock, rateLimit } = options;
  const bucket = rateLimit === undefined ? undefined : new TokenBucket(rateLimit, clock);
  return clientOf({ transport, fieldManager, clock, bucket });
}

function clientOf(requester: Writer): Client {
  const { transport, fieldManager } = requester;
  return {
    transport,
    fieldManager,
    as: (other) => clientOf({ ...requester, fieldManager: other }),
    over: (other) => clientOf({ ...requester, transport: other }),
    of: <T extends KubeObject>(type: ResourceType) => new TypedClient<T>(type, requester),
  };
}

interface Writer extends Requester {
  readonly fieldManager: string;
}

// The path of the first is that of all objects, those of the others lead upwards: what deletes one
// object must not delete them all (client-go refuses these, too).
const namesNothing: ReadonlySet<string> = new Set(['', '.', '..']);

class TypedClient<T extends KubeObject> implements ResourceClient<T> {
  readonly type: ResourceType;
  readonly #requester: Writer;

  constructor(type: ResourceType, requester: Writer) {
    this.type = type;
    this.#requester = requester;
  }

  async get(key: ObjectKey, options: CallOptions = {}): Promise<T> {
    return this.#object({ method: 'GET', path: this.#path(key), signal: options.signal });
  }

  async tryGet(key: ObjectKey, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(key, options);
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const response = await send(this.#requester, {
      method: 'GET',
      path: resourcePath(this.type, selectTarget(options)),
      query: queryOf({
        ...selectQuery(options),
        limit: options.limit,
        continue: options.continue,
        resourceVersion: options.resourceVersion,
      }),
      headers: acceptHeaders(options, 'PartialObjectMetadataList'),
      signal: options.signal,
    });
    return readList<T>(this.type, response, projectionOf(options));
  }

  async *listAll(options: ListOptions = {}): AsyncGenerator<T, void, undefined> {
    const { limit = limits.pageSize } = options;
    let page = await this.list({ ...options, limit });
    yield* page.items;
    while (page.continue !== undefined) {
      // The token names the version as well; the server refuses both together.
      const next = { continue: page.continue, limit, resourceVersion: undefined };
      page = await this.list({ ...options, ...next });
      yield* page.items;
    }
  }

  async create(object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace } = object.metadata;
    const path = resourcePath(this.type, namespace === undefined ? {} : { namespace });
    return this.#write({ method: 'POST', path, body: object }, options);
  }

  async update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write({ method: 'PUT', path: this.#path(object.metadata), body: object }, options);
  }

  async updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    const path = this.#path(object.metadata, 'status');
    return this.#write({ method: 'PUT', path, body: object }, options);
  }

  async patch(key: ObjectKey, patch: Patch, options: PatchOptions = {}): Promise<T> {
    const contentType =
      patch.type === 'merge' ? 'application/merge-patch+json' : 'application/json-patch+json';
    const path = this.#path(key, options.subresource);
    return this.#write({ method: 'PATCH', path, body: patch.patch, contentType }, options);
  }

  async apply(object: KubeObject, options: ApplyOptions = {}): Promise<T> {
    const path = this.#path(object.metadata, options.subresource);
    const contentType = 'application/apply-patch+yaml'; // JSON is YAML.
    const { force, fieldValidation } = options;
    const query = queryOf({ force, fieldValidation });
    return this.#write({ method: 'PATCH', path, body: object, contentType, query }, options);
  }

  async getSubresource(
    key: ObjectKey,
    subresource: string,
    { signal }: CallOptions = {},
  ): Promise<JsonObject> {
    return this.#document({ method: 'GET', path: this.#path(key, subresource), signal });
  }

  async createSubresource(
    key: ObjectKey,
    request: SubresourceRequest,
    options: WriteOptions = {},
  ): Promise<JsonObject> {
    return this.#writeSubresource('POST', { key, ...request }, options);
  }

  async updateSubresource(
    key: ObjectKey,
    request: SubresourceRequest,
    options: WriteOptions = {},
  ): Promise<JsonObject> {
    return this.#writeSubresource('PUT', { key, ...request }, options);
  }

  async #writeSubresource(
    method: 'POST' | 'PUT',
    { key, subresource, body }: SubresourceRequest & { readonly key: ObjectKey },
    options: WriteOptions,
  ): Promise<JsonObject> {
    const { fieldManager } = this.#requester;
    const query = { fieldManager, ...dryRunQuery(options) };
    const path = this.#path(key, subresource);
    return this.#document({ method, path, body, query, signal: options.signal });
  }

  async delete(key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
    const { propagation, gracePeriodSeconds, preconditions } = options;
    await this.#delete(this.#path(key), {
      body: deleteOptions({ propagationPolicy: propagation, gracePeriodSeconds, preconditions }),
      query: dryRunQuery(options),
      signal: options.signal,
    });
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    const { propagation } = options;
    await this.#delete(resourcePath(this.type, selectTarget(options)), {
      body: deleteOptions({ propagationPolicy: propagation }),
      query: { ...queryOf(selectQuery(options)), ...dryRunQuery(options) },
      signal: options.signal,
    });
  }

  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { sendInitialEvents = false } = options;
    const response = await send(this.#requester, {
      method: 'GET',
      path: resourcePath(this.type, selectTarget(options)),
      query: queryOf({
        watch: true,
        allowWatchBookmarks: true,
        ...selectQuery(options),
        resourceVersion: options.resourceVersion,
        timeoutSeconds: options.timeoutSeconds,
        sendInitialEvents: sendInitialEvents || undefined,
        resourceVersionMatch: sendInitialEvents ? 'NotOlderThan' : undefined,
      }),
      headers: acceptHeaders(options, 'PartialObjectMetadata'),
      signal: options.signal,
    });
    yield* readWatch<T>(this.type, response, projectionOf(options));
  }

  #path(key: { readonly namespace?: string; readonly name: string }, subresource?: string): string {
    if (namesNothing.has(key.name)) {
      const { kind } = this.type;
      const text = `Cannot address a ${kind}: found the name "${key.name}", expected that of an object`;
      throw new ClientError('InvalidName', text);
    }
    return resourcePath(this.type, {
      name: key.name,
      ...(key.namespace === undefined ? {} : { namespace: key.namespace }),
      ...(subresource === undefined ? {} : { subresource }),
    });
  }

  #write(request: TransportRequest, options: WriteOptions): Promise<T> {
    const { fieldManager } = this.#requester;
    const query = { ...request.query, fieldManager, ...dryRunQuery(options) };
    return this.#object({ ...request, query, signal: options.signal });
  }

  async #object(request: TransportRequest): Promise<T> {
    const response = await send(this.#requester, request);
    return parseObject<T>(this.type, await response.json());
  }

  async #document(request: TransportRequest): Promise<JsonObject> {
    const response = await send(this.#requester, request);
    const document = await response.json();
    if (isJsonObject(document)) return document;
    const text = `found ${typeof document}, expected an object`;
    throw new ClientError('InvalidAnswer', `Cannot read the answer for "${request.path}": ${text}`);
  }

  async #delete(
    path: string,
    request: Pick<TransportRequest, 'body' | 'query' | 'signal'>,
  ): Promise<void> {
    const response = await send(this.#requester, { method: 'DELETE', path, ...request });
    await response.json();
  }
}

function deleteOptions(fields: JsonObject): JsonObject {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...Object.fromEntries(set) };
}

function selectTarget({ namespace }: SelectOptions): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

function selectQuery({ labelSelector, fieldSelector }: SelectOptions): QueryValues {
  return { labelSelector, fieldSelector };
}

/** Servers that do not know how to leave out everything else send the whole objects. */
function acceptHeaders(
  { metadataOnly = false }: ReadOptions,
  as: string,
): Readonly<Record<string, string>> {
  if (!metadataOnly) return {};
  return { accept: `application/json;as=${as};g=meta.k8s.io;v=v1,application/json` };
}

function isPaths(keep: Projection | readonly string[]): keep is readonly string[] {
  return Array.isArray(keep);
}

function projectionOf({ keep = 'all', metadataOnly = false }: ReadOptions): Projection {
  if (isPaths(keep)) return parseProjection(keep);
  return metadataOnly && keep === 'all' ? metadataProjection : keep;
}

function dryRunQuery({ dryRun = false }: { readonly dryRun?: boolean | undefined }): {
  dryRun?: 'All';
} {
  return dryRun ? { dryRun: 'All' } : {};
}

function queryOf(values: QueryValues): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query[name] = String(value);
  }
  return query;
}
