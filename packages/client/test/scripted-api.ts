import assert from 'node:assert/strict';
import { BoundedChannel } from '@fnlet/base';
import { failureStatus, type KubeObject, type ResourceType } from '@fnlet/machinery';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../src/index.ts';

export const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** What goes wrong with one request; `after` counts the documents that still arrive. */
export type Fault =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'status'; readonly code: number; readonly retryAfter?: number }
  | { readonly kind: 'reset' | 'garbage' | 'gone' | 'silent' | 'end'; readonly after: number };

/** What a request sees: the objects of its namespace, whole or their metadata. */
interface Scope {
  readonly has: (object: KubeObject) => boolean;
  readonly show: (object: KubeObject) => KubeObject;
}

function scopeOf({ path, headers = {} }: TransportRequest): Scope {
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  const isPartial = headers.accept?.includes('as=PartialObjectMetadata') === true;
  return {
    has: ({ metadata }) => (namespace ?? metadata.namespace) === metadata.namespace,
    show: (object) =>
      isPartial
        ? {
            apiVersion: 'meta.k8s.io/v1',
            kind: 'PartialObjectMetadata',
            metadata: object.metadata,
          }
        : object,
  };
}

interface LoggedChange {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/**
 * An API with one kind, that does what its script says: `faults` strike the next requests, one
 * each. It keeps the real objects, so that a test can tell what a client should have.
 */
export class ScriptedApi implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly faults: Fault[] = [];
  /** Whether a watch may ask for initial events; otherwise 422, as before Kubernetes 1.27. */
  streaming = true;
  /** Whether bodies come as text, as over HTTP; otherwise as values, as in process. */
  isText = false;
  pageSize = 2;
  #version = 10;
  #compacted = 0;
  readonly #objects = new Map<string, KubeObject>();
  #log: LoggedChange[] = [];
  readonly #watches = new Map<BoundedChannel<unknown>, Scope>();

  get objects(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get version(): string {
    return String(this.#version);
  }

  put(name: string, data: string, namespace = 'default'): KubeObject {
    this.#version += 1;
    const metadata = {
      name,
      namespace,
      resourceVersion: this.version,
      managedFields: [],
    };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { data } };
    const key = `${namespace}/${name}`;
    this.#change(this.#objects.has(key) ? 'MODIFIED' : 'ADDED', object);
    this.#objects.set(key, object);
    return object;
  }

  remove(name: string, namespace = 'default'): void {
    const key = `${namespace}/${name}`;
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#version += 1;
    this.#objects.delete(key);
    const metadata = { ...object.metadata, resourceVersion: this.version };
    this.#change('DELETED', { ...object, metadata });
  }

  /** Forgets all history: watches from before are answered 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#log = [];
  }

  bookmark(): void {
    for (const watch of this.#watches.keys()) watch.push(this.#bookmark(false));
  }

  #change(type: LoggedChange['type'], object: KubeObject): void {
    this.#log.push({ version: this.#version, type, object });
    for (const [watch, scope] of this.#watches) {
      if (scope.has(object)) watch.push({ type, object: scope.show(object) });
    }
  }

  #bookmark(initialEventsEnd: boolean): unknown {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: this.version, ...(initialEventsEnd && { annotations }) };
    return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const fault = this.faults.shift();
    if (fault?.kind === 'unreachable') throw new TransportError('Unreachable', 'nobody listens');
    if (fault?.kind === 'status') return failure(fault.code, fault.retryAfter);
    const isWatch = request.query?.watch === 'true';
    const response = isWatch ? this.#watch(request, fault) : this.#list(request);
    if (!this.isText || response.status !== 200) return response;
    return asText(response, isWatch ? response.documents() : [await response.json()]);
  }

  #list(request: TransportRequest): TransportResponse {
    const { query = {} } = request;
    const scope = scopeOf(request);
    const all = this.objects.filter(scope.has);
    const start = Number(query.continue ?? 0);
    const size = query.limit === undefined ? all.length : this.pageSize;
    const items = all.slice(start, start + size).map(scope.show);
    const end = start + items.length;
    const more = end < all.length;
    const metadata = { resourceVersion: this.version, ...(more && { continue: String(end) }) };
    return answer(200, { kind: 'ConfigMapList', metadata, items });
  }

  #watch(request: TransportRequest, fault: Fault | undefined): TransportResponse {
    const { query = {}, signal } = request;
    const scope = scopeOf(request);
    const isInitial = query.sendInitialEvents === 'true';
    if (isInitial && !this.streaming) return failure(422);
    const from = Number(query.resourceVersion ?? 0);
    if (!isInitial && from < this.#compacted) return failure(410);
    const first = isInitial
      ? [
          ...this.objects
            .filter(scope.has)
            .map((object) => ({ type: 'ADDED', object: scope.show(object) }))
            .reverse(),
          this.#bookmark(true),
        ]
      : this.#log
          .filter(({ version, object }) => version > from && scope.has(object))
          .map(({ type, object }) => ({ type, object: scope.show(object) }));
    const live = new BoundedChannel<unknown>(10_000);
    for (const document of first) live.push(document);
    this.#watches.set(live, scope);
    const leave = (): void => {
      this.#watches.delete(live);
    };
    signal?.addEventListener('abort', () => {
      leave();
      live.fail(new TransportError('Aborted', 'aborted'));
    });
    return {
      ...answer(200, undefined),
      documents: () => withFault(live, fault, { signal, leave }),
    };
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.keys()) watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The same answer as text, each document in two chunks. */
function asText(
  response: TransportResponse,
  documents: AsyncIterable<unknown> | readonly unknown[],
): TransportResponse {
  const fail = (): never => assert.fail('a text is scanned for what is kept');
  return {
    ...response,
    json: fail,
    documents: fail,
    async *chunks() {
      for await (const document of documents) {
        const line = Buffer.from(`${JSON.stringify(document)}\n`);
        yield line.subarray(0, line.length >> 1);
        yield line.subarray(line.length >> 1);
      }
    },
  };
}

async function* withFault(
  documents: AsyncIterable<unknown>,
  fault: Fault | undefined,
  { signal, leave }: { signal: AbortSignal | undefined; leave: () => void },
): AsyncGenerator<unknown, void, undefined> {
  const after = fault !== undefined && 'after' in fault ? fault.after : Number.POSITIVE_INFINITY;
  let count = 0;
  try {
    if (after > 0) {
      for await (const document of documents) {
        yield document;
        count += 1;
        if (count >= after) break;
      }
    }
    switch (fault?.kind) {
      case 'reset':
        throw new TransportError('Interrupted', 'connection reset');
      case 'garbage':
        yield 'garbage';
        return;
      case 'gone':
        yield { type: 'ERROR', object: failureStatus('Expired', 'too old resource version') };
        return;
      case 'silent':
        await aborted(signal);
        throw new TransportError('Aborted', 'aborted');
      default:
    }
  } finally {
    leave();
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

function failure(code: number, retryAfter?: number): TransportResponse {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code };
  const details = retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } };
  return answer(code, { ...status, ...details });
}

function answer(status: number, body: unknown): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    json: async () => body,
    async *documents() {},
    async *bytes() {
      yield Buffer.from(JSON.stringify(body));
    },
  };
}
