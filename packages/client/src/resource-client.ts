import type { JsonObject } from '@fnlet/base';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import type { ObjectList } from './object-list.ts';
import type { Projection } from './projection.ts';
import type { WatchEvent } from './watch-event.ts';

export interface CallOptions {
  /** Rejects the call with `TransportError` `Aborted`. */
  readonly signal?: AbortSignal | undefined;
}

export interface SelectOptions extends CallOptions {
  /** One namespace; without it, all of them. */
  readonly namespace?: string | undefined;
  /** As kubectl's `-l`: `app=web,tier in (a,b)`. */
  readonly labelSelector?: string | undefined;
  /** As kubectl's `--field-selector`: `metadata.name=a`. */
  readonly fieldSelector?: string | undefined;
}

export interface ReadOptions extends SelectOptions {
  /**
   * What to keep of each object, as paths such as `spec.replicas`; everything else is left out while
   * it is read. Default: everything. See the cache's option of this name.
   */
  readonly keep?: readonly string[] | Projection | undefined;
  /** Asks for nothing but the metadata of each object (PartialObjectMetadata). */
  readonly metadataOnly?: boolean | undefined;
}

export interface ListOptions extends ReadOptions {
  /** At most so many objects in this page. Default: all in one. */
  readonly limit?: number | undefined;
  /** The token of the page before. */
  readonly continue?: string | undefined;
  /** A state at least so new; `0` takes what the server has at hand. Default: the newest. */
  readonly resourceVersion?: string | undefined;
}

export interface WatchOptions extends ReadOptions {
  /** Changes after this version; without it the server starts with what is there. */
  readonly resourceVersion?: string | undefined;
  /** First the objects that are there, then a bookmark that ends them (KEP-3157). */
  readonly sendInitialEvents?: boolean | undefined;
  /** When the server ends the watch. Default: its own choice. */
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Goes through everything but the commit. */
  readonly dryRun?: boolean | undefined;
}

export interface PatchOptions extends WriteOptions {
  /** `status`, `scale`, … */
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends PatchOptions {
  /** Takes fields over from other managers instead of failing with `Conflict`. */
  readonly force?: boolean | undefined;
  /**
   * What becomes of fields that the server does not know: `Strict` refuses them. Default: the
   * server drops them.
   */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** A merge patch (RFC 7386) or a JSON patch (RFC 6902). */
export type Patch =
  | { readonly type: 'merge'; readonly patch: JsonObject }
  | { readonly type: 'json'; readonly patch: readonly JsonObject[] };

export interface DeleteOptions extends WriteOptions {
  /** What happens to dependents. Default: the kind's own. */
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  /** How long it may take to stop. Default: the object's own. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Fails with `Conflict` when the object is not this one. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

export interface DeleteCollectionOptions extends SelectOptions {
  readonly dryRun?: boolean | undefined;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

/** What is sent to a part of an object. */
export interface SubresourceRequest {
  readonly subresource: string;
  readonly body: JsonObject;
}

/**
 * The objects of one kind.
 *
 * Every method rejects with `StatusError` when the server refuses (its code is the reason:
 * `NotFound`, `Conflict`, …), with `TransportError` when no answer came, and with `ClientError`
 * `InvalidAnswer` when the answer is not what the API promises. Objects that come back are to be
 * treated as frozen.
 */
export interface ResourceClient<T extends KubeObject> {
  readonly type: ResourceType;
  get(key: ObjectKey, options?: CallOptions): Promise<T>;
  /** Like `get`, with `undefined` for an object that is not there. */
  tryGet(key: ObjectKey, options?: CallOptions): Promise<T | undefined>;
  list(options?: ListOptions): Promise<ObjectList<T>>;
  /** Every object, page after page of one consistent state. */
  listAll(options?: ListOptions): AsyncIterable<T>;
  create(object: T, options?: WriteOptions): Promise<T>;
  /** Replaces the object; with a resourceVersion only when it is still that one. */
  update(object: T, options?: WriteOptions): Promise<T>;
  updateStatus(object: T, options?: WriteOptions): Promise<T>;
  patch(key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<T>;
  /** Server-side apply: `object` holds exactly the fields that this field manager wants. */
  apply(object: KubeObject, options?: ApplyOptions): Promise<T>;
  /** Reads a part that has a kind of its own, such as `scale`. */
  getSubresource(key: ObjectKey, subresource: string, options?: CallOptions): Promise<JsonObject>;
  /**
   * Asks for something about an object: `eviction` of a Pod, a `token` of a ServiceAccount, its
   * `binding`.
   *
   * @returns what the server answers: the request with its outcome, or a Status
   */
  createSubresource(
    key: ObjectKey,
    request: SubresourceRequest,
    options?: WriteOptions,
  ): Promise<JsonObject>;
  /** Replaces a part that has a kind of its own, such as `scale`; `body` is what was read. */
  updateSubresource(
    key: ObjectKey,
    request: SubresourceRequest,
    options?: WriteOptions,
  ): Promise<JsonObject>;
  delete(key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: DeleteCollectionOptions): Promise<void>;
  /** Raw events of one watch, until the server ends it; a Cache follows for as long as it runs. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
}
