import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { connect as connectTls } from 'node:tls';
import { type Clock, errorMessage, hasCode } from '@fnlet/base';
import { ArtifactError, type ArtifactErrorCode } from '../artifact-error.ts';
import { limits } from '../limits.ts';
import type { Environment } from '../npm-command.ts';
import type { SecretValues } from './git-credentials.ts';
import { type FindService, type NetworkPlace, nobodyAnswers } from './service-route.ts';

export interface Download {
  readonly url: string;
  /** The values of the Secret; `undefined` where none is named. */
  readonly secret: SecretValues | undefined;
  /** File to write; it is the caller's, also after a failure. */
  readonly target: string;
  /** Says how the network is reached: proxies. */
  readonly environment: Environment;
  /** Knows the hosts that are Services. Default: none is. */
  readonly findService?: FindService | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Hop {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Fetches a file over HTTPS or HTTP.
 *
 * @returns its sha256 digest in hex
 * @throws ArtifactError `SourceDenied`, `SourceNotFound`, `SourceUnreachable`, `TooLarge`
 */
export async function download(options: Download): Promise<string> {
  const { url, clock, signal, target } = options;
  const end = new AbortController();
  const late = `no end within ${limits.downloadMs / 1000} s`;
  const timer = clock.after(limits.downloadMs, () => end.abort(unreachable(url, late)));
  const both = AbortSignal.any([signal, end.signal]);
  try {
    const answer = await follow(options, both);
    const hash = createHash('sha256');
    await pipeline(
      answer,
      (chunks: AsyncIterable<Uint8Array>) => countBytes(url, chunks, hash),
      createWriteStream(target, { mode: 0o600 }),
      { signal: both },
    );
    return hash.digest('hex');
  } catch (error) {
    signal.throwIfAborted();
    if (end.signal.aborted) throw end.signal.reason;
    throw error instanceof ArtifactError ? error : explain(url, error);
  } finally {
    timer.cancel();
  }
}

async function* countBytes(
  url: string,
  chunks: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > limits.archiveBytesMax) {
      const expected = `expected at most ${limits.archiveBytesMax / 1_048_576} MiB`;
      const message = `Cannot fetch "${url}": found more bytes, ${expected}`;
      throw new ArtifactError('TooLarge', message, { remedy: 'Make a smaller archive.' });
    }
    hash.update(chunk);
    yield chunk;
  }
}

/** The answer behind all redirects. */
async function follow(options: Download, signal: AbortSignal): Promise<IncomingMessage> {
  let hop: Hop = { url: new URL(options.url), headers: authorization(options.secret ?? {}) };
  for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
    const answer = await ask(hop, options, signal);
    const { statusCode: status = 0 } = answer;
    if (status === 200) return answer;
    answer.destroy();
    const { location } = answer.headers;
    if (status < 300 || status > 399 || location === undefined) throw refused(options.url, status);
    hop = nextHop(hop, location, options.url);
  }
  throw unreachable(options.url, `more than ${limits.redirectsMax} redirects`);
}

/** Credentials go to the server that they are for only, and nothing goes back to plain HTTP. */
function nextHop({ url, headers }: Hop, location: string, asked: string): Hop {
  const next = URL.parse(location, url.href);
  const isHttp = next?.protocol === 'https:' || next?.protocol === 'http:';
  if (next === null || !isHttp || (url.protocol === 'https:' && next.protocol === 'http:')) {
    throw unreachable(asked, 'a redirect that leaves HTTPS');
  }
  return { url: next, headers: next.origin === url.origin ? headers : {} };
}

async function ask(hop: Hop, options: Download, signal: AbortSignal): Promise<IncomingMessage> {
  const { hostname, port, protocol } = hop.url;
  const usual = protocol === 'https:' ? 443 : 80;
  const asked = { host: hostname, port: port === '' ? usual : Number(port) };
  const route = await options.findService?.(asked, signal);
  if (route?.kind === 'nobody') throw nobodyAnswers(options.url, route.message);
  return send(hop, { ...wayTo(hop.url, route?.place, options), signal });
}

/** How a server is connected to: by the machine's ways, or where a Service leads. */
function wayTo(
  { protocol, hostname }: URL,
  place: NetworkPlace | undefined,
  { secret, environment }: Download,
): RequestOptions {
  const authorities = secret?.['ca.crt'];
  const trust = authorities === undefined ? {} : { ca: authorities };
  const isSecure = protocol === 'https:';
  if (place !== undefined) {
    const connect = (): Duplex =>
      isSecure ? connectTls({ ...place, ...trust, servername: hostname }) : connectTcp(place);
    // Without an agent Node does not know which port goes without saying in the Host.
    return { createConnection: connect, defaultPort: isSecure ? 443 : 80 };
  }
  const proxyEnv = { ...environment };
  return {
    agent: isSecure ? new HttpsAgent({ proxyEnv, ...trust }) : new HttpAgent({ proxyEnv }),
  };
}

function send({ url, headers }: Hop, way: RequestOptions): Promise<IncomingMessage> {
  const options = {
    ...way,
    timeout: limits.downloadSilenceMs,
    headers: { 'user-agent': 'fnlet', accept: '*/*', ...headers },
  };
  const silence = `silence for ${limits.downloadSilenceMs / 1000} s`;
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const asking = request(url, options, resolve);
    asking.once('timeout', () => asking.destroy(new Error(silence)));
    asking.once('error', reject);
    asking.end();
  });
}

function authorization(secret: SecretValues): Readonly<Record<string, string>> {
  const { username, password, token } = secret;
  const basic = `${username ?? ''}:${password ?? ''}`;
  const own = Object.entries(secret).flatMap(([key, value]) =>
    key.startsWith('header.') ? [[key.slice('header.'.length).toLowerCase(), value.trim()]] : [],
  );
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token.trim()}` }),
    ...(password === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    ...Object.fromEntries(own),
  };
}

const verdicts: Readonly<Record<number, ArtifactErrorCode>> = {
  401: 'SourceDenied',
  403: 'SourceDenied',
  404: 'SourceNotFound',
  410: 'SourceNotFound',
};

function refused(url: string, status: number): ArtifactError {
  const code = verdicts[status] ?? 'SourceUnreachable';
  const message = `Cannot fetch "${url}": found status ${status}, expected 200`;
  const remedy = 'Check the url, and the Secret that secretRef names.';
  return new ArtifactError(code, message, { retry: 'later', remedy });
}

function explain(url: string, error: unknown): ArtifactError {
  const text = errorMessage(error);
  if (/certificate|altname/i.test(text) || hasCode(error, 'ERR_TLS_CERT_ALTNAME_INVALID')) {
    const found = `found a certificate that is not trusted (${text})`;
    const message = `Cannot fetch "${url}": ${found}, expected one that is`;
    const remedy = 'Put the certificate of its authority into the key ca.crt of the Secret.';
    return new ArtifactError('SourceDenied', message, { cause: error, retry: 'later', remedy });
  }
  return unreachable(url, text === '' ? 'no answer' : text, error);
}

function unreachable(url: string, found: string, cause?: unknown): ArtifactError {
  const message = `Cannot fetch "${url}": found ${found}, expected an answer`;
  const remedy = 'Check the network, the proxy and the url.';
  return new ArtifactError('SourceUnreachable', message, { cause, retry: 'later', remedy });
}
