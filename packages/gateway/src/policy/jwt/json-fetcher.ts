import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Clock, FnletError } from '@fnlet/base';
import { policyLimits } from '../policy-limits.ts';
import type { FetchJson } from './issuer-keys.ts';

export interface JsonFetcherOptions {
  readonly clock: Clock;
  /** Certificates (PEM) of authorities that servers are trusted by. Default: those of Node. */
  readonly authorities?: string;
}

/**
 * Fetches JSON documents over HTTPS or HTTP: whole and within `issuerTimeoutMs`, or not at all. It
 * goes to the address that it was given and follows no redirect from there.
 */
export function createJsonFetcher({ clock, authorities }: JsonFetcherOptions): FetchJson {
  return async (url) => {
    const late = new AbortController();
    const timer = clock.after(policyLimits.issuerTimeoutMs, () => {
      late.abort(failed(url, `no answer within ${policyLimits.issuerTimeoutMs} ms`));
    });
    try {
      const options = {
        signal: late.signal,
        ...(authorities === undefined ? {} : { ca: authorities }),
      };
      return await readJson(url, await get(url, options));
    } catch (error) {
      late.signal.throwIfAborted();
      throw error instanceof FnletError ? error : failed(url, String(error), error);
    } finally {
      timer.cancel();
    }
  };
}

interface GetOptions {
  readonly signal: AbortSignal;
  readonly ca?: string;
}

async function get(url: string, options: GetOptions): Promise<IncomingMessage> {
  const headers = { accept: 'application/json' };
  const given = { ...options, headers, agent: false };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // An HTTP client is loaded when one is needed, not with the Gateway (decision 015).
  const request: ClientRequest = url.startsWith('https:')
    ? process.getBuiltinModule('node:https').get(url, given, resolve)
    : process.getBuiltinModule('node:http').get(url, given, resolve);
  request.on('error', reject);
  return promise;
}

async function readJson(url: string, answer: IncomingMessage): Promise<unknown> {
  if (answer.statusCode !== 200) {
    answer.destroy();
    throw failed(url, `status ${answer.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > policyLimits.issuerAnswerBytesMax) throw failed(url, `more than ${bytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

export type JsonFetcherErrorCode = 'FetchFailed';

function failed(url: string, found: string, cause?: unknown): FnletError<JsonFetcherErrorCode> {
  const message = `Cannot fetch "${url}": found ${found}, expected a JSON document`;
  return new FnletError<JsonFetcherErrorCode>('FetchFailed', message, { cause });
}
