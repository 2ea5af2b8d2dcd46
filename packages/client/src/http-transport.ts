/**
 * Owns the connections to one server.
 *
 * I1. An answer of any status resolves; without one the error says whether the server may have
 *     acted (`Interrupted`) or cannot have (`Unreachable`).
 * I2. Connections are kept as long as the client certificate stays the same. Those of the
 *     `agentsMax` latest live on until what runs over them has ended.
 * I3. A request whose credentials were refused (401) was not carried out: it is sent once more if
 *     there are others by then.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { errorMessage, hasCode } from '@fnlet/base';
import type { CredentialSource, Credentials } from './credentials.ts';
import { createHttpAgent, type HttpAgent, type HttpAgentOptions } from './http-agent.ts';
import { HttpResponse } from './http-response.ts';
import { type Impersonation, impersonationHeaders } from './impersonation.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { limits } from './limits.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

export interface HttpTransportOptions extends HttpAgentOptions {
  /** The API's URL: `https://host:port`, with a path when it stands behind one. */
  readonly server: string;
  /** The CA that signed the server's certificate, as PEM. Default: the system's. */
  readonly caData?: string | undefined;
  /** A client certificate and its key, as PEM. */
  readonly certData?: string | undefined;
  readonly keyData?: string | undefined;
  /** Sent as bearer token. */
  readonly token?: string | undefined;
  /** Credentials that change; they take the place of those above. */
  readonly credentials?: CredentialSource | undefined;
  /** Takes any certificate: anyone in between can read the token. Default false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name to expect in the certificate instead of the server's host. */
  readonly tlsServerName?: string | undefined;
  /** As whom requests are judged. Default: whoever the credentials stand for. */
  readonly impersonation?: Impersonation | undefined;
  /** An HTTP proxy on the way: `http://host:port`. */
  readonly proxyUrl?: string | undefined;
}

/** A transport over HTTP/1.1 with its own kept-alive connections; a watch holds one of them. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #base: URL;
  readonly #agents = new Map<string, HttpAgent>();
  #closed = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#base = new URL(options.server);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, signal } = request;
    try {
      signal?.throwIfAborted();
      const answer = await this.#sendAsKnown(request);
      return new HttpResponse(answer, `${method} "${path}"`, signal);
    } catch (error) {
      throw this.#toTransportError(error, request);
    }
  }

  // I3
  async #sendAsKnown(request: TransportRequest): Promise<IncomingMessage> {
    const { credentials: source } = this.#options;
    const credentials = await source?.read(request.signal);
    const answer = await this.#send(request, credentials ?? this.#options);
    if (answer.statusCode !== 401 || source === undefined) return answer;
    source.refuse();
    const others = await source.read(request.signal).catch(() => credentials);
    if (others === undefined || isSame(others, credentials)) return answer;
    answer.destroy();
    const second = await this.#send(request, others);
    if (second.statusCode === 401) source.refuse();
    return second;
  }

  async #send(request: TransportRequest, credentials: Credentials): Promise<IncomingMessage> {
    if (this.#closed) throw new Error('the transport is closed');
    const agent = this.#agentFor(credentials);
    const isRead = request.method === 'GET';
    for (;;) {
      const outgoing = this.#open(agent, request, credentials.token);
      try {
        return await answerTo(outgoing);
      } catch (error) {
        // The server has closed an idle connection at the moment when it was used again.
        const isStale = outgoing.reusedSocket && hasCode(error, 'ECONNRESET');
        if (!isStale || !isRead || request.signal?.aborted === true) throw error;
      }
    }
  }

  #open(agent: HttpAgent, request: TransportRequest, token: string | undefined): ClientRequest {
    const { method, query, body, signal } = request;
    const isStream = query?.watch === 'true' || query?.follow === 'true';
    const isWritten = body === undefined || body instanceof Uint8Array;
    const sent = isWritten ? body : JSON.stringify(body);
    const headers: Record<string, string | number | string[]> = {
      accept: 'application/json',
      'user-agent': 'fnlet',
      ...(isStream ? {} : { 'accept-encoding': 'gzip' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...impersonationHeaders(this.#options.impersonation),
      ...(sent === undefined
        ? {}
        : {
            'content-type': request.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(sent),
          }),
      ...request.headers,
    };
    const outgoing = agent.send(this.#url(request), {
      method,
      headers,
      // A watch or a log may be silent; whoever reads it knows when that is too long. It has to be
      // said: a connection goes on with the limit that it was opened with, or that of the request
      // before.
      timeout: isStream ? 0 : limits.answerTimeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    outgoing.on('timeout', () => {
      const found = `found nothing within ${limits.answerTimeoutMs} ms`;
      outgoing.destroy(Object.assign(new Error(found), { code: noAnswer }));
    });
    return outgoing.end(sent);
  }

  #url({ path, query }: TransportRequest): URL {
    const url = new URL(this.#base);
    url.pathname = `${this.#base.pathname.replace(/\/$/, '')}${path}`;
    url.search = new URLSearchParams(query).toString();
    return url;
  }

  #agentFor(credentials: Credentials): HttpAgent {
    const { certData = '', keyData = '' } = credentials;
    const key = `${certData}\n${keyData}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const agent = createHttpAgent(this.#options, credentials);
    this.#agents.set(key, agent);
    for (const [older, outdated] of this.#agents) {
      if (this.#agents.size <= limits.agentsMax) break;
      this.#agents.delete(older);
      outdated.destroy();
    }
    return agent;
  }

  #toTransportError(error: unknown, { method, path, signal }: TransportRequest): unknown {
    const action = `Cannot ${method} "${path}" on ${this.#base.host}`;
    if (signal?.aborted === true) {
      return new TransportError('Aborted', `${action}: aborted by the caller`, { cause: error });
    }
    if (error instanceof KubeconfigError) return error;
    const found = `${action}: ${errorMessage(error)}, expected an answer`;
    return isInterruption(error)
      ? new TransportError('Interrupted', found, { cause: error })
      : new TransportError('Unreachable', found, {
          cause: error,
          remedy: `Check that an API listens at ${this.#base.origin} and that its CA is trusted`,
        });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function isSame(one: Credentials, other: Credentials | undefined): boolean {
  const { token, certData, keyData } = one;
  return token === other?.token && certData === other?.certData && keyData === other?.keyData;
}

/** Whether nobody knows if the server has carried the request out. */
function isInterruption(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'ECONNRESET' || code === 'EPIPE' || code === noAnswer || code.startsWith('HPE_');
}

const noAnswer = 'NO_ANSWER';

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // Stays: after an answer, the body tells its reader what went wrong.
    outgoing.on('error', reject);
  });
}
