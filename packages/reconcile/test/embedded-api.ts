import { type ApiServer, createApiServer } from '@fnlet/apiserver';
import { type Random, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { type Client, createClient, type Transport, type TransportRequest } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { openMemoryStore, type Store } from '@fnlet/store';
import { createManager, type Manager, type ManagerOptions } from '../src/manager.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export function configMap(name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** The embedded API in process, on a virtual clock, with a note of every request. */
export class EmbeddedApi implements AsyncDisposable {
  readonly clock: VirtualClock = new VirtualClock();
  readonly random: Random = seededRandom(1);
  /** As `GET /path`; watches as `WATCH /path`. */
  readonly requests: string[] = [];
  readonly client: Client;
  readonly #store: Store = openMemoryStore();
  readonly #server: ApiServer;

  /** An API with a namespace `default`. */
  static async open(): Promise<EmbeddedApi> {
    const api = new EmbeddedApi();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    await api.client.of(namespaceType).create(namespace);
    api.requests.length = 0;
    return api;
  }

  private constructor() {
    const { clock, random } = this;
    this.#server = createApiServer({ clock, random, logger: silentLogger, store: this.#store });
    const transport = noting(this.#server.transport(), (request) => this.#note(request));
    this.client = createClient(transport, { fieldManager: 'test', clock });
  }

  manager(options: Partial<ManagerOptions> = {}): Manager {
    const { client, clock, random } = this;
    return createManager({ client, clock, random, logger: silentLogger, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#store[Symbol.asyncDispose]();
  }

  #note({ method, path, query }: TransportRequest): void {
    this.requests.push(`${query?.watch === 'true' ? 'WATCH' : method} ${path}`);
  }
}

function noting(transport: Transport, note: (request: TransportRequest) => void): Transport {
  return {
    request(request) {
      note(request);
      return transport.request(request);
    },
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** Runs a manager and lets the world settle; the function ends it. */
export async function runManager(api: EmbeddedApi, manager: Manager): Promise<() => Promise<void>> {
  const abort = new AbortController();
  const running = manager.run(abort.signal);
  await api.clock.advance(10);
  return async () => {
    abort.abort();
    await running;
  };
}
