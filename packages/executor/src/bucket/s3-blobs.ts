import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { assert } from '@fnlet/base';
import type { S3Location } from './blob-location.ts';
import {
  BlobError,
  type BlobStore,
  type BlobTarget,
  isBlobKey,
  type ListedBlob,
  tooLarge,
} from './blob-store.ts';
import { bucketLimits } from './limits.ts';
import {
  elementOf,
  readText,
  type S3Refusal,
  S3Sender,
  type S3SenderOptions,
} from './s3-request.ts';
import { encodePath, encodeQuery } from './sign-request.ts';

export interface S3BlobsOptions extends Omit<S3SenderOptions, 'region'> {
  readonly location: S3Location;
}

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Empty for the bucket itself, which has a query. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly file: string; readonly bytes: number; readonly sha256: string };
}

const nothing = createHash('sha256').digest('hex');

/** Blobs in a bucket of S3, or of a server that speaks like it. */
export class S3Blobs implements BlobStore {
  readonly name: string;
  readonly #location: S3Location;
  readonly #sender: S3Sender;

  constructor(options: S3BlobsOptions) {
    const { location } = options;
    this.name = `s3://${location.bucket}/${location.prefix}`.replace(/\/$/, '');
    this.#location = location;
    this.#sender = new S3Sender({ ...options, region: location.region });
  }

  async get(key: string, { file, bytesMax }: BlobTarget, signal: AbortSignal): Promise<boolean> {
    const write = async (answer: IncomingMessage): Promise<true> => {
      const bytes = Number(answer.headers['content-length'] ?? Number.NaN);
      // What says no length ends where it broke off, and nobody would see it.
      if (Number.isNaN(bytes)) throw new Error('an answer without a length');
      if (bytes > bytesMax) throw tooLarge({ store: this.name, key }, bytes, bytesMax);
      await pipeline(answer, createWriteStream(file, { mode: 0o600 }), { signal });
      return true;
    };
    const outcome = await this.#ask({ method: 'GET', key }, write, signal);
    return outcome !== 'missing';
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    const { size: bytes } = await stat(file);
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash, { signal });
    const body = { file, bytes, sha256: hash.digest('hex') };
    const outcome = await this.#ask({ method: 'PUT', key, body }, drain, signal);
    if (outcome === 'missing') throw this.#noBucket('write', key);
  }

  async *list(prefix: string, signal: AbortSignal): AsyncIterable<ListedBlob> {
    const own = this.#location.prefix;
    const what = `list ${this.name}`;
    let token = '';
    do {
      const query = {
        'list-type': '2',
        'max-keys': String(bucketLimits.keysPerPage),
        prefix: own + prefix,
        ...(token === '' ? {} : { 'continuation-token': token }),
      };
      const read = (answer: IncomingMessage): Promise<string> => readText(answer, what);
      const page = await this.#ask({ method: 'GET', key: '', query }, read, signal);
      if (page === 'missing') throw this.#noBucket('list', prefix);
      if (!page.includes('<ListBucketResult')) {
        const found = 'found no list, expected one of S3';
        throw new BlobError('BrokenAnswer', `Cannot ${what}: ${found}`);
      }
      for (const [, contents = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = elementOf(contents, 'Key').slice(own.length);
        const bytes = Number(elementOf(contents, 'Size'));
        yield { key, bytes, changedMs: Date.parse(elementOf(contents, 'LastModified')) };
      }
      const isWhole = elementOf(page, 'IsTruncated') !== 'true';
      token = isWhole ? '' : elementOf(page, 'NextContinuationToken');
    } while (token !== '');
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask({ method: 'DELETE', key }, drain, signal);
  }

  close(): void {
    this.#sender.close();
  }

  /** What came of it; `missing`: there is nothing of that key. */
  async #ask<T>(
    asked: Asked,
    take: (answer: IncomingMessage) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | 'missing'> {
    const { method, key, query, body } = asked;
    assert(query !== undefined || isBlobKey(key), `"${key}" is no key of a blob`);
    const verb = { GET: 'read', PUT: 'write', DELETE: 'remove' }[method];
    const what = key === '' ? `list ${this.name}` : `${verb} "${key}" in ${this.name}`;
    const request = {
      ...{ method, what, url: this.#urlOf(asked) },
      headers: body === undefined ? {} : { 'content-length': String(body.bytes) },
      payloadSha256: body?.sha256 ?? nothing,
      ...(body === undefined ? {} : { body: () => createReadStream(body.file) }),
    };
    const outcome = await this.#sender.ask(request, take, signal);
    if ('taken' in outcome) return outcome.taken;
    const { refusal } = outcome;
    if (refusal.code === 'NoSuchBucket') throw this.#noBucket(verb, key);
    if (refusal.status === 404) return 'missing';
    throw refused(what, refusal);
  }

  #urlOf({ key, query = {} }: Asked): URL {
    const { endpoint, bucket, prefix, isPathStyle } = this.#location;
    const url = new URL(endpoint);
    if (!isPathStyle) url.hostname = `${bucket}.${endpoint.hostname}`;
    const own = key === '' ? '' : prefix + key;
    url.pathname = encodePath(isPathStyle ? `/${bucket}/${own}` : `/${own}`);
    url.search = encodeQuery(query);
    return url;
  }

  #noBucket(verb: string, key: string): BlobError {
    const found = `found no bucket "${this.#location.bucket}", expected one`;
    return new BlobError('BucketNotFound', `Cannot ${verb} "${key}" in ${this.name}: ${found}`, {
      retry: 'later',
      remedy: 'Make the bucket, or name another one: Fnlet makes none.',
    });
  }
}

async function drain(answer: IncomingMessage): Promise<void> {
  for await (const _ of answer) {
    // Nothing that it says matters.
  }
}

function refused(what: string, { status, code, message }: S3Refusal): BlobError {
  const isDenied = status === 401 || status === 403;
  const found = `found status ${[status, code, message].filter((part) => part !== '').join(' ')}`;
  const remedy = isDenied
    ? 'Check the credentials, and that they may list the bucket, and read, write and remove in it.'
    : 'Check the endpoint, the region and the style of the address.';
  return new BlobError(isDenied ? 'Denied' : 'BrokenAnswer', `Cannot ${what}: ${found}`, {
    retry: 'later',
    remedy,
  });
}
