/** One bucket of S3 in memory, as far as Fnlet asks for it, that fails when it is told to. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request is answered instead; the requests after it are answered as usual. */
export type BucketFault =
  | { readonly status: number; readonly code?: string; readonly headers?: Record<string, string> }
  /** It says that so many bytes come, and breaks off before. */
  | { readonly breaksOffAfter: number }
  | { readonly text: string };

export interface AskedOfBucket {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

interface Kept {
  readonly content: Buffer;
  readonly changedMs: number;
}

export class BucketServer implements AsyncDisposable {
  readonly bucket: string;
  readonly port: number;
  readonly objects: Map<string, Kept> = new Map();
  /** Answers of the next requests, in their order; `undefined` is an answer as usual. */
  readonly faults: (BucketFault | undefined)[] = [];
  readonly asked: AskedOfBucket[] = [];
  /** Most keys of one list. */
  keysPerPage = 1_000;
  readonly #server: Server;

  private constructor(bucket: string, server: Server) {
    this.bucket = bucket;
    this.#server = server;
    const address: AddressInfo | string | null = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  static async start(bucket: string): Promise<BucketServer> {
    let listener: RequestListener = () => {};
    const server = createServer((request, response) => listener(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const started = new BucketServer(bucket, server);
    listener = (request, response) => void started.#answer(request, response);
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    const { method = '', url = '', headers } = request;
    this.asked.push({ method, url, headers });
    const fault = this.faults.shift();
    if (fault !== undefined) return fail(response, fault);
    // Through a proxy the whole URL is asked for, and the bucket is the beginning of the host.
    const target = new URL(url, this.url);
    const isInHost = target.hostname.startsWith(`${this.bucket}.`);
    const path = isInHost ? `/${this.bucket}${target.pathname}` : target.pathname;
    const [, bucket, ...rest] = path.split('/');
    if (bucket !== this.bucket) return fail(response, { status: 404, code: 'NoSuchBucket' });
    const key = rest.join('/');
    if (key === '') this.#list(target.searchParams, response);
    else this.#object(key, { method, content: Buffer.concat(parts) }, response);
  }

  #object(
    key: string,
    asked: { readonly method: string; readonly content: Buffer },
    response: ServerResponse,
  ): void {
    const found = this.objects.get(key);
    if (asked.method === 'PUT') {
      this.objects.set(key, { content: asked.content, changedMs: Date.now() });
      response.writeHead(200).end();
    } else if (asked.method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
    } else if (found === undefined) fail(response, { status: 404, code: 'NoSuchKey' });
    else response.writeHead(200, { 'content-length': found.content.length }).end(found.content);
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const names = [...this.objects.keys()].sort();
    const all = names.filter((key) => key.startsWith(prefix) && key > after);
    const page = all.slice(0, this.keysPerPage);
    const contents = page.map((key) => {
      const { content, changedMs } = this.objects.get(key) ?? { content: '', changedMs: 0 };
      const time = new Date(changedMs).toISOString();
      const fields = `<Key>${key}</Key><LastModified>${time}</LastModified>`;
      return `<Contents>${fields}<Size>${content.length}</Size></Contents>`;
    });
    const isTruncated = page.length < all.length;
    const token = isTruncated
      ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
      : '';
    const own = `<IsTruncated>${isTruncated}</IsTruncated>${token}${contents.join('')}`;
    response.end(`<?xml version="1.0"?><ListBucketResult>${own}</ListBucketResult>`);
  }
}

function fail(response: ServerResponse, fault: BucketFault): void {
  if ('text' in fault) response.end(fault.text);
  else if ('breaksOffAfter' in fault) {
    const length = fault.breaksOffAfter + 1_000;
    response.writeHead(200, { 'content-length': length });
    response.write(Buffer.alloc(fault.breaksOffAfter), () => response.destroy());
  } else {
    const { status, code = '', headers = {} } = fault;
    const text = `<Error><Code>${code}</Code><Message>Found &lt;it&gt;</Message></Error>`;
    response.writeHead(status, headers).end(code === '' ? '' : text);
  }
}
