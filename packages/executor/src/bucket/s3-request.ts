import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  parseRetryAfter,
  type Random,
  sleep,
} from '@fnlet/base';
import { BlobError } from './blob-store.ts';
import { bucketLimits } from './limits.ts';
import { type AwsCredentials, type SignableRequest, signRequest } from './sign-request.ts';

export interface S3SenderOptions {
  readonly credentials: AwsCredentials;
  readonly region: string;
  /** Says how the network is reached: proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
}

export interface S3Request extends SignableRequest {
  /** What is asked for, for messages: `read "key" in s3://bucket`. */
  readonly what: string;
  /** Opens the body anew for each try. Default: there is none. */
  readonly body?: (() => Readable) | undefined;
}

/** A whole answer that is neither success nor something to try again. */
export interface S3Refusal {
  readonly status: number;
  /** As S3 calls it, such as `NoSuchKey`; empty where the server did not say. */
  readonly code: string;
  readonly message: string;
}

/**
 * Sends signed requests, and again where the server has no time (503 `SlowDown`), fails, or breaks
 * off, `triesMax` times in all.
 */
export class S3Sender {
  readonly #options: S3SenderOptions;
  readonly #agent: HttpAgent;
  readonly #secureAgent: HttpsAgent;

  constructor(options: S3SenderOptions) {
    this.#options = options;
    const proxyEnv = { ...options.environment };
    const terms = { keepAlive: true, maxSockets: bucketLimits.connectionsMax, proxyEnv };
    this.#agent = new HttpAgent(terms);
    this.#secureAgent = new HttpsAgent(terms);
  }

  /** Ends connections that are kept. */
  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }

  /**
   * @param take reads the body of a success; it is asked again when that breaks off
   * @returns what `take` made of it, or how the server refused
   * @throws BlobError `Unreachable`, `BrokenAnswer`
   */
  async ask<T>(
    request: S3Request,
    take: (answer: IncomingMessage) => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ readonly taken: T } | { readonly refusal: S3Refusal }> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#try(request, take, signal);
      if (!('failure' in outcome)) return outcome;
      signal.throwIfAborted();
      const { failure, cause, retryAfter } = outcome;
      if (tries === bucketLimits.triesMax) throw unreachable(request.what, failure, cause);
      const { capMs } = bucketLimits.retry;
      const wishMs = parseRetryAfter(retryAfter ?? '', clock.now()) ?? 0;
      const delayMs = backoffDelayMs(tries, bucketLimits.retry, random);
      await sleep(clock, Math.min(capMs, Math.max(wishMs, delayMs)), signal);
    }
  }

  async #try<T>(
    request: S3Request,
    take: (answer: IncomingMessage) => Promise<T>,
    signal: AbortSignal,
  ): Promise<
    | { readonly taken: T }
    | { readonly refusal: S3Refusal }
    | { readonly failure: string; readonly cause?: unknown; readonly retryAfter?: string }
  > {
    try {
      const answer = await this.#send(request, signal);
      const { statusCode: status = 0, headers } = answer;
      if (status >= 200 && status < 300) return { taken: await take(answer) };
      const refusal = readRefusal(status, await readText(answer, request.what));
      if (status !== 429 && status < 500) return { refusal };
      const retryAfter = headers['retry-after'];
      const failure = `found status ${status} ${refusal.code}`.trimEnd();
      return { failure, ...(retryAfter === undefined ? {} : { retryAfter }) };
    } catch (cause) {
      if (signal.aborted || cause instanceof BlobError) throw cause;
      return { failure: `found ${errorMessage(cause) || 'no answer'}`, cause };
    }
  }

  #send(request: S3Request, signal: AbortSignal): Promise<IncomingMessage> {
    const { credentials, region, clock } = this.#options;
    const { url, method, body } = request;
    const { host: _, ...headers } = signRequest(request, { credentials, region, now: clock.now() });
    const isSecure = url.protocol === 'https:';
    const agent = isSecure ? this.#secureAgent : this.#agent;
    const options = { method, headers, agent, signal, timeout: bucketLimits.silenceMs };
    return new Promise((resolve, reject) => {
      const asking = (isSecure ? requestHttps : requestHttp)(url, options, resolve);
      asking.once('timeout', () => {
        asking.destroy(new Error(`silence for ${bucketLimits.silenceMs / 1000} s`));
      });
      asking.on('error', reject);
      if (body === undefined) asking.end();
      // A server may answer, and end the connection, before it has read all.
      else pipeline(body(), asking).catch(reject);
    });
  }
}

/** A text of bounded size. */
export async function readText(answer: IncomingMessage, what: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > bucketLimits.answerBytesMax) {
      const found = `found more than ${bucketLimits.answerBytesMax} bytes`;
      throw new BlobError('BrokenAnswer', `Cannot ${what}: ${found}, expected an answer`);
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString();
}

function readRefusal(status: number, text: string): S3Refusal {
  return { status, code: elementOf(text, 'Code'), message: elementOf(text, 'Message') };
}

/** The text of the first element of this name: answers of S3 have no attributes and no CDATA. */
export function elementOf(xml: string, name: string): string {
  const [, text = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

function unreachable(what: string, found: string, cause: unknown): BlobError {
  const expected = `expected an answer within ${bucketLimits.triesMax} tries`;
  return new BlobError('Unreachable', `Cannot ${what}: ${found}, ${expected}`, {
    cause,
    retry: 'later',
    remedy: 'Look at the server of the bucket, at its address and the network policies before it.',
  });
}
