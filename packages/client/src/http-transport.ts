import { errorMessage, hasCode } from '@fnlet/base';
import type { Agent, Dispatcher } from 'undici';
import { HttpResponse } from './http-response.ts';
import { limits } from './limits.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

export interface HttpTransportOptions {
  /** The API's URL: `https://host:port`, with a path when it stands behind one. */
  readonly server: string;
  /** The CA that signed the server's certificate, as PEM. Default: the system's. */
  readonly caData?: string | undefined;
  /** A client certificate and its key, as PEM. */
  readonly certData?: string | undefined;
  readonly keyData?: string | undefined;
  /** Sent as bearer token. */
  readonly token?: string | undefined;
  /** Takes any certificate: anyone in between can read the token. Default false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name to expect in the certificate instead of the server's host. */
  readonly tlsServerName?: string | undefined;
}

/** A transport over HTTP/1.1 with its own kept-alive connections; a watch holds one of them. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #base: URL;
  #undici: Promise<Undici> | undefined;
  #closed = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#base = new URL(options.server);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, signal } = request;
    const isStream = request.query?.watch === 'true' || request.query?.follow === 'true';
    try {
      this.#undici ??= openUndici(this.#options);
      const { agent, send } = await this.#undici;
      if (this.#closed) throw new Error('the transport is closed');
      const answer = await send(this.#url(request), {
        dispatcher: agent,
        method,
        headers: this.#headers(request, isStream),
        // A watch or a log may be silent; whoever reads it knows when that is too long.
        bodyTimeout: isStream ? 0 : limits.answerTimeoutMs,
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      return new HttpResponse(answer, `${method} "${request.path}"`, signal);
    } catch (error) {
      throw this.#toTransportError(error, request);
    }
  }

  #url({ path, query }: TransportRequest): URL {
    const url = new URL(this.#base);
    url.pathname = `${this.#base.pathname.replace(/\/$/, '')}${path}`;
    url.search = new URLSearchParams(query).toString();
    return url;
  }

  #headers(request: TransportRequest, isStream: boolean): Record<string, string> {
    const { token } = this.#options;
    return {
      accept: 'application/json',
      'user-agent': 'fnlet',
      ...(isStream ? {} : { 'accept-encoding': 'gzip' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(request.body === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json' }),
      ...request.headers,
    };
  }

  #toTransportError(error: unknown, { method, path, signal }: TransportRequest): TransportError {
    const action = `Cannot ${method} "${path}" on ${this.#base.host}`;
    if (signal?.aborted === true) {
      return new TransportError('Aborted', `${action}: aborted by the caller`, { cause: error });
    }
    const found = `${action}: ${errorMessage(error)}, expected an answer`;
    return interruptions.some((code) => hasCode(error, code))
      ? new TransportError('Interrupted', found, { cause: error })
      : new TransportError('Unreachable', found, {
          cause: error,
          remedy: `Check that an API listens at ${this.#base.origin} and that its CA is trusted`,
        });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const undici = await this.#undici;
    await undici?.agent.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Errors after which nobody knows whether the server has carried the request out. */
const interruptions = [
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_DESTROYED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
] as const;

interface Undici {
  readonly agent: Agent;
  readonly send: (
    url: URL,
    options: Omit<Dispatcher.RequestOptions, 'path' | 'origin'> & { dispatcher: Dispatcher },
  ) => Promise<Dispatcher.ResponseData>;
}

// Loaded with the first request, so that a process whose clients are all in process never pays.
async function openUndici(options: HttpTransportOptions): Promise<Undici> {
  const { Agent: UndiciAgent, request } = await import('undici');
  const { caData, certData, keyData, insecureSkipTlsVerify = false, tlsServerName } = options;
  const agent = new UndiciAgent({
    connections: limits.connectionsMax,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: limits.keepAliveMs,
    headersTimeout: limits.answerTimeoutMs,
    connect: {
      timeout: limits.connectTimeoutMs,
      rejectUnauthorized: !insecureSkipTlsVerify,
      ...(caData === undefined ? {} : { ca: caData }),
      ...(certData === undefined ? {} : { cert: certData }),
      ...(keyData === undefined ? {} : { key: keyData }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    },
  });
  return { agent, send: request };
}
