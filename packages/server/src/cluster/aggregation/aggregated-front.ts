/**
 * Where the API server of the cluster passes requests on to, for groups that the controller answers
 * for. Who asks has been authenticated there, and may do it by the roles of the cluster.
 *
 * I1. Nobody is heard but the API server, which shows its certificate as a front proxy.
 * I2. What is under way at once is bounded; who comes beyond that is told to come again.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import {
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  parseRoute,
  statusCode,
  toStatus,
  type User,
} from '@fnlet/apiserver/extension';
import { FnletError, hasCode, type Logger } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import {
  type AggregatedGroup,
  findGroup,
  groupDocument,
  groupListDocument,
  resourcesDocument,
} from './aggregated-group.ts';
import { type FrontProxyTerms, identifyCaller } from './front-proxy.ts';
import { aggregatedBodyBytesMax, aggregatedRequestsMax } from './limits.ts';

export interface AggregatedFrontOptions {
  readonly groups: readonly AggregatedGroup[];
  /** In PEM. */
  readonly certificate: { readonly certPem: string; readonly keyPem: string };
  /** Somebody showed a certificate that is not known: the authority may be another one by now. */
  readonly onStranger: () => void;
  readonly logger: Logger;
}

export class AggregatedFront implements AsyncDisposable {
  readonly #options: AggregatedFrontOptions;
  readonly #server: Server;
  #certificate: AggregatedFrontOptions['certificate'];
  #terms: FrontProxyTerms | undefined;
  #underWay = 0;

  constructor(options: AggregatedFrontOptions) {
    this.#options = options;
    this.#certificate = options.certificate;
    const { certPem: cert, keyPem: key } = options.certificate;
    // Refused below, with an answer that says so.
    const tls = { cert, key, requestCert: true, rejectUnauthorized: false };
    this.#server = createServer({ ...tls, minVersion: 'TLSv1.2' }, (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.on('tlsClientError', () => {});
  }

  /** Listens; resolves with the port. */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.once('error', reject);
    this.#server.listen({ host, port }, () => {
      const address: AddressInfo | string | null = this.#server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
    return promise;
  }

  /** New connections get this certificate. */
  renew(certificate: AggregatedFrontOptions['certificate']): void {
    this.#certificate = certificate;
    this.#apply();
  }

  /** Who connects from now on is believed by these terms. */
  trust(terms: FrontProxyTerms): void {
    this.#terms = terms;
    this.#apply();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeAllConnections();
    await closed;
  }

  #apply(): void {
    const { certPem: cert, keyPem: key } = this.#certificate;
    const ca = this.#terms?.caPem;
    this.#server.setSecureContext({ cert, key, ...(ca === undefined ? {} : { ca }) });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#underWay += 1;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await this.#respond(request, gone.signal).catch((error: unknown) =>
        this.#refuse(error),
      );
      await send(response, answer);
    } catch {
      // The connection failed, or the answer in its middle: whoever still reads must not wait on.
      response.destroy();
    } finally {
      this.#underWay -= 1;
    }
  }

  #refuse(error: unknown): ApiResponse {
    const status = toStatus(error, this.#options.logger);
    const seconds = status.details?.retryAfterSeconds;
    const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    return jsonResponse(statusCode(status), status, headers);
  }

  async #respond(request: IncomingMessage, signal: AbortSignal): Promise<ApiResponse> {
    // I2
    if (this.#underWay > aggregatedRequestsMax) {
      const message = 'the controller of Fnlet has too many requests under way';
      throw statusError('TooManyRequests', message, { retryAfterSeconds: 1 });
    }
    // I1
    const user = this.#identify(request);
    const { method = 'GET', url = '/' } = request;
    const { pathname: path, searchParams: query } = new URL(url, 'https://localhost');
    const body = await readBody(request);
    const headers = headersOf(request);
    return this.#dispatch({ method, path, query, headers, body, user, signal });
  }

  #identify(request: IncomingMessage): User {
    const { socket, headersDistinct } = request;
    const terms = this.#terms;
    const isTrusted = socket instanceof TLSSocket && socket.authorized;
    const subject = socket instanceof TLSSocket ? socket.getPeerCertificate()?.subject : undefined;
    const name: unknown = subject?.CN;
    const peer = { isTrusted, commonName: typeof name === 'string' ? name : undefined };
    const user = terms && identifyCaller(terms, peer, headersDistinct);
    if (user !== undefined) return user;
    if (subject !== undefined && !isTrusted) this.#options.onStranger();
    throw statusError('Unauthorized', 'only the API server of the cluster is answered here');
  }

  async #dispatch(request: ApiRequest): Promise<ApiResponse> {
    const { groups } = this.#options;
    const route = parseRoute(request.path);
    switch (route?.kind) {
      case 'groups':
        return jsonResponse(200, groupListDocument(groups));
      case 'group':
        return found(groupDocument(groups, route.group));
      case 'resources':
        return found(resourcesDocument(groups, route.group, route.version));
      case 'resource': {
        const group = findGroup(groups, route.group, route.version);
        return group === undefined ? found(undefined) : group.extension.answer(route, request);
      }
      default:
        return found(undefined);
    }
  }
}

function found(document: object | undefined): ApiResponse {
  if (document !== undefined) return jsonResponse(200, document);
  throw statusError('NotFound', 'the controller of Fnlet serves nothing there');
}

/** As handlers know them; who is believed about the user has been asked already. */
function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as const],
  );
  return Object.fromEntries(entries);
}

async function readBody(request: IncomingMessage): Promise<ApiRequest['body']> {
  const chunks: Buffer[] = [];
  let left = aggregatedBodyBytesMax;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    left -= bytes.length;
    if (left < 0) {
      const message = `the body is longer than ${aggregatedBodyBytesMax} bytes`;
      throw statusError('RequestEntityTooLarge', message);
    }
    chunks.push(bytes);
  }
  return chunks.length === 0 ? undefined : { kind: 'bytes', bytes: Buffer.concat(chunks) };
}

async function send(
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
): Promise<void> {
  switch (body.kind) {
    case 'stream':
      response.writeHead(status, headers);
      // Who follows learns that it has begun before the first line comes.
      response.flushHeaders();
      await pipeline(Readable.from(body.chunks), response).catch((error: unknown) => {
        if (!hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
      });
      return;
    case 'json':
      return sendWhole(response, { status, headers }, `${body.document.text}\n`);
    case 'text':
      return sendWhole(response, { status, headers }, body.text);
    case 'bytes':
      return sendWhole(response, { status, headers }, body.bytes);
    default:
      throw new FnletError('UnknownAnswer', `Cannot send "${body.kind}" as an answer`);
  }
}

function sendWhole(
  response: ServerResponse,
  { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
  whole: string | Uint8Array,
): void {
  const length = Buffer.byteLength(whole);
  response.writeHead(status, { ...headers, 'content-length': length });
  response.end(whole);
}
