import { BoundedChannel, isJsonObject, type JsonObject } from '@fnlet/base';
import type { Transport, TransportRequest, TransportResponse } from '@fnlet/client';

interface StoredPod {
  readonly metadata: JsonObject;
  readonly [field: string]: unknown;
}

/**
 * A Kubernetes API that has Pods only: just enough of it to be the other side of the mirror. An
 * apply takes the fields as they come, a delete with grace marks, one without removes.
 */
export class PodApi implements Transport {
  readonly requests: string[] = [];
  readonly pods: Map<string, StoredPod> = new Map();
  /** Answers so many writes with 500 before it takes one. */
  failures: number = 0;
  #version = 0;
  readonly #watches = new Set<BoundedChannel<JsonObject>>();

  /** Names of the Pods. */
  get names(): readonly string[] {
    return [...this.pods.values()].map(({ metadata }) => String(metadata.name));
  }

  /** As `kubectl delete pod` does. */
  delete(path: string, gracePeriodSeconds: number): void {
    const pod = this.pods.get(path);
    if (pod === undefined) return;
    if (gracePeriodSeconds === 0) {
      this.pods.delete(path);
      this.#tell('DELETED', { ...pod, metadata: this.#stamp(pod.metadata) });
    } else {
      const deletionTimestamp = '2026-01-01T00:00:00Z';
      const marks = { deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds };
      this.put(path, { ...pod, metadata: { ...pod.metadata, ...marks } });
    }
  }

  put(path: string, pod: StoredPod): StoredPod {
    const type = this.pods.has(path) ? 'MODIFIED' : 'ADDED';
    const stored = { ...pod, metadata: this.#stamp(pod.metadata) };
    this.pods.set(path, stored);
    this.#tell(type, stored);
    return stored;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, body, signal } = request;
    if (method === 'GET') return this.#watch(signal);
    this.requests.push(`${method} ${path.slice(path.lastIndexOf('/pods/') + 6)}`);
    if (this.failures > 0) {
      this.failures--;
      return answer(500, { kind: 'Status', code: 500, reason: 'InternalError', message: 'no' });
    }
    const target = path.replace(/\/status$/, '');
    if (!isJsonObject(body)) return notFound();
    if (method === 'DELETE') {
      if (!this.pods.has(target)) return notFound();
      this.delete(target, Number(body.gracePeriodSeconds));
      return answer(200, { kind: 'Status', status: 'Success' });
    }
    const known = this.pods.get(target);
    if (path !== target) {
      if (known === undefined) return notFound();
      return answer(200, this.put(target, { ...known, status: body.status }));
    }
    const metadata = isJsonObject(body.metadata) ? body.metadata : {};
    return answer(200, this.put(target, { ...known, ...body, metadata }));
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #watch(signal: AbortSignal | undefined): TransportResponse {
    const events = new BoundedChannel<JsonObject>(1_000);
    for (const object of this.pods.values()) events.push({ type: 'ADDED', object });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(this.#version), annotations };
    events.push({ type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Pod', metadata } });
    this.#watches.add(events);
    signal?.addEventListener('abort', () => events.close(), { once: true });
    return { ...answer(200, {}), documents: () => events };
  }

  #stamp(metadata: JsonObject): JsonObject {
    return { ...metadata, resourceVersion: String(++this.#version) };
  }

  #tell(type: string, object: StoredPod): void {
    for (const watch of this.#watches) watch.push({ type, object });
  }
}

function notFound(): TransportResponse {
  return answer(404, { kind: 'Status', code: 404, reason: 'NotFound', message: 'no such Pod' });
}

function answer(status: number, body: unknown): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    json: () => Promise.resolve(body),
    async *documents() {
      yield body;
    },
    async *bytes() {
      yield Buffer.from(JSON.stringify(body));
    },
  };
}
