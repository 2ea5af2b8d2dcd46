import { subscribe } from 'node:diagnostics_channel';

/** A request that code makes, with `fetch` or with `node:http`. */
export interface OutgoingRequest {
  readonly method: string;
  /** Without its query, which may hold what is nobody's business. */
  readonly url: string;
  readonly host: string;
}

/** Is called once: with a status, or with the name of an error. */
export type AnswerListener = (answer: {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}) => void;

const channels = [
  'http.client.response.finish',
  'http.client.request.error',
  'undici:request:headers',
  'undici:request:error',
];

/** Hears of answers on Node's diagnostics channels, as long as the process lives. */
export class OutgoingRequests {
  readonly #listeners = new WeakMap<object, AnswerListener>();

  constructor() {
    for (const channel of channels) subscribe(channel, (message) => this.#tell(message));
  }

  onAnswer(request: object, listener: AnswerListener): void {
    this.#listeners.set(request, listener);
  }

  #tell(message: unknown): void {
    const { request, response, error }: AnswerMessage = Object(message);
    const listener = request && this.#listeners.get(request);
    if (request === undefined || listener === undefined) return;
    this.#listeners.delete(request);
    if (error !== undefined) {
      const { code, name }: { code?: unknown; name?: unknown } = Object(error);
      listener({ error: String(code ?? name) });
      return;
    }
    const { statusCode }: { statusCode?: unknown } = Object(response);
    listener({ status: typeof statusCode === 'number' ? statusCode : undefined });
  }
}

interface AnswerMessage {
  readonly request?: object;
  readonly response?: unknown;
  readonly error?: unknown;
}

/** Reads a request as one of the channels has it. */
export function describeRequest(request: object): OutgoingRequest {
  const { method = 'GET', path = '', protocol, origin }: RequestMembers = request;
  const base =
    origin === undefined ? `${String(protocol)}//${hostHeader(request)}` : String(origin);
  return {
    method: String(method),
    url: `${base}${String(path).split('?', 1)[0]}`,
    host: URL.parse(base)?.hostname ?? '',
  };
}

/** What requests of the one kind or of the other have. */
interface RequestMembers {
  readonly method?: unknown;
  readonly path?: unknown;
  readonly protocol?: unknown;
  readonly origin?: unknown;
}

// With the port, which a request of `node:http` has nowhere else.
function hostHeader(request: object): string {
  const { getHeader }: { getHeader?: unknown } = request;
  return typeof getHeader === 'function' ? String(Reflect.apply(getHeader, request, ['host'])) : '';
}
