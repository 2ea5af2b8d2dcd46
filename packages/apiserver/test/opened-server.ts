import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { openMemoryStore } from '@fnlet/store';
import {
  type ApiResponse,
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type User,
} from '../src/index.ts';

const administrator: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** A started server on a store in memory; closed with everything that belongs to it. */
export interface OpenedServer extends AsyncDisposable {
  readonly server: ApiServer;
  /** Sends one request, as the administrator unless told otherwise, and reads the answer. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
}

export interface AskOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, or text or bytes that are sent as they are. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Nobody asks. Default: false. */
  readonly anonymous?: boolean;
  /** Who asks. Default: the administrator. */
  readonly user?: User;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; text where it is not JSON. */
  readonly body: unknown;
}

export async function openServer(options: Partial<ApiServerOptions> = {}): Promise<OpenedServer> {
  const store = openMemoryStore();
  const defaults = { clock: systemClock, random: systemRandom, logger: silentLogger };
  const server = createApiServer({ store, ...defaults, ...options });
  await server.start();
  return {
    server,
    ask: (method, path, asked = {}) => ask(server, { ...asked, method, path }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await store.close();
    },
  };
}

async function ask(
  server: ApiServer,
  options: AskOptions & { method: string; path: string },
): Promise<Answer> {
  const { method, path } = options;
  const { query = {}, headers = {}, body, contentType = 'application/json' } = options;
  const isReady = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = Buffer.from(isReady ? body : (JSON.stringify(body) ?? ''));
  const response = await server.handle({
    method,
    path,
    query: new URLSearchParams(query),
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': contentType }) },
    body: body === undefined ? undefined : { kind: 'bytes', bytes },
    ...(options.anonymous === true ? {} : { user: options.user ?? administrator }),
    signal: options.signal ?? new AbortController().signal,
  });
  return { status: response.status, headers: response.headers, body: await read(response) };
}

async function read({ body, headers }: ApiResponse): Promise<unknown> {
  switch (body.kind) {
    case 'json':
      return JSON.parse(body.document.text);
    case 'text':
      return headers['content-type'] === 'application/json' ? JSON.parse(body.text) : body.text;
    case 'bytes':
      return body.bytes;
    case 'events': {
      const batches = await Array.fromAsync(body.batches);
      return batches.flat().map(({ line }) => JSON.parse(Buffer.from(line).toString()));
    }
    case 'stream':
      return Buffer.concat(await Array.fromAsync(body.chunks)).toString();
    case 'upgrade':
      return undefined;
  }
}
