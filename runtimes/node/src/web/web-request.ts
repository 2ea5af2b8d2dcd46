import { bodyReaders, extractBody, type IncomingContent, WebBody } from './web-body.ts';
import { WebHeaders } from './web-headers.ts';

/** Marks an {@link IncomingRequest}; user code cannot name it. */
export const incoming: unique symbol = Symbol('incoming');

/** A request that came in, of which nothing is looked at before the handler does. */
export interface IncomingRequest {
  readonly [incoming]: true;
  readonly method: string;
  url(): string;
  headers(): WebHeaders;
  signal(): AbortSignal;
  readonly content: IncomingContent | null;
}

/** The members of a `RequestInit` that only matter to fetch, kept as they were given. */
const fetchOptions = [
  'cache',
  'credentials',
  'dispatcher',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
] as const;

type FetchOptions = Pick<RequestInit, (typeof fetchOptions)[number]>;

interface RequestOptions extends FetchOptions {
  readonly method?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: unknown;
}

/**
 * Takes the place of the global `Request`; it is what web-style handlers get.
 *
 * I1. Of an incoming request, URL, headers, signal and body are made when first asked for.
 */
export class WebRequest {
  readonly #incoming: IncomingRequest | undefined;
  readonly #method: string;
  readonly #options: FetchOptions;
  readonly #body: WebBody;
  #url: string | undefined;
  #headers: WebHeaders | undefined;
  #signal: AbortSignal | undefined;

  constructor(input: unknown, init?: RequestOptions | null) {
    if (isIncomingRequest(input)) {
      this.#incoming = input;
      this.#method = input.method;
      this.#options = noOptions;
      this.#body = new WebBody(input.content);
      return;
    }
    const base = input instanceof WebRequest ? input : undefined;
    const options = init ?? {};
    this.#url = base === undefined ? checkedUrl(input) : base.url;
    this.#method = checkedMethod(options.method ?? base?.method ?? 'GET');
    this.#options = {
      ...(base === undefined ? undefined : base.#options),
      ...pickFetchOptions(options),
    };
    this.#headers = new WebHeaders(options.headers ?? base?.headers);
    this.#signal = isSignal(options.signal) ? options.signal : base?.signal;
    this.#body = this.#takeBody(options.body, base);
  }

  #takeBody(init: unknown, base: WebRequest | undefined): WebBody {
    const hasInit = init !== undefined && init !== null;
    if (hasInit && (this.#method === 'GET' || this.#method === 'HEAD')) {
      throw new TypeError('Request with GET/HEAD method cannot have body');
    }
    if (!hasInit && base !== undefined && base.body !== null) {
      const own = base.#body.unusable ? undefined : base.body.pipeThrough(new TransformStream());
      if (own === undefined) throw new TypeError('Cannot construct a Request: its body was read');
      return new WebBody(own);
    }
    const { body, type } = extractBody(init);
    if (type !== undefined && !this.headers.has('content-type')) {
      this.headers.set('content-type', type);
    }
    return body;
  }

  get method(): string {
    return this.#method;
  }

  get url(): string {
    this.#url ??= this.#incoming?.url() ?? '';
    return this.#url;
  }

  get headers(): WebHeaders {
    this.#headers ??= this.#incoming?.headers() ?? new WebHeaders();
    return this.#headers;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#incoming?.signal() ?? new AbortController().signal;
    return this.#signal;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#body.stream;
  }

  get bodyUsed(): boolean {
    return this.#body.used;
  }

  get cache(): unknown {
    return this.#options.cache ?? 'default';
  }

  get credentials(): unknown {
    return this.#options.credentials ?? 'same-origin';
  }

  get destination(): string {
    return '';
  }

  get duplex(): string {
    return 'half';
  }

  get integrity(): unknown {
    return this.#options.integrity ?? '';
  }

  get keepalive(): unknown {
    return this.#options.keepalive ?? false;
  }

  get mode(): unknown {
    return this.#options.mode ?? 'cors';
  }

  get redirect(): unknown {
    return this.#options.redirect ?? 'follow';
  }

  get referrer(): unknown {
    return this.#options.referrer ?? 'about:client';
  }

  get referrerPolicy(): unknown {
    return this.#options.referrerPolicy ?? '';
  }

  /** What `fetch` takes to send such a request. */
  static fetchInit(request: WebRequest): RequestInit & { readonly duplex: 'half' } {
    const { method, headers, signal } = request;
    const content = request.#body.plain ?? request.body;
    const body = content === null || content === '' ? {} : { body: content };
    return { ...request.#options, method, headers: [...headers], signal, duplex: 'half', ...body };
  }

  text(): Promise<string> {
    return bodyReaders.text(this.#body);
  }

  json(): Promise<unknown> {
    return bodyReaders.json(this.#body);
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return bodyReaders.arrayBuffer(this.#body);
  }

  bytes(): Promise<Uint8Array> {
    return bodyReaders.bytes(this.#body);
  }

  blob(): Promise<Blob> {
    return bodyReaders.blob(this.#body, this.headers.get('content-type') ?? '');
  }

  formData(): Promise<FormData> {
    return bodyReaders.formData(this.#body, this.headers.get('content-type') ?? '');
  }

  clone(): WebRequest {
    const { method, headers, signal } = this;
    const body = this.#body.clone();
    const content = body.plain ?? body.stream;
    return new WebRequest(this.url, { ...this.#options, method, headers, signal, body: content });
  }

  get [Symbol.toStringTag](): string {
    return 'Request';
  }
}

Object.defineProperty(WebRequest, 'name', { value: 'Request', configurable: true });

const noOptions: FetchOptions = {};

function isIncomingRequest(input: unknown): input is IncomingRequest {
  return typeof input === 'object' && input !== null && incoming in input;
}

function isSignal(value: unknown): value is AbortSignal {
  return value instanceof AbortSignal;
}

function pickFetchOptions(options: FetchOptions): FetchOptions {
  const given = fetchOptions.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

function checkedUrl(input: unknown): string {
  const url = new URL(String(input));
  if (url.username === '' && url.password === '') return url.href;
  throw new TypeError('Cannot make a Request: found a URL with credentials');
}

// The Fetch standard: these six are written in upper case, the others are left as they are.
const normalisedMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];
const forbiddenMethods = ['CONNECT', 'TRACE', 'TRACK'];

function checkedMethod(value: unknown): string {
  const method = String(value);
  const upper = method.toUpperCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method) || forbiddenMethods.includes(upper)) {
    throw new TypeError(`Cannot make a Request: found method ${JSON.stringify(method)}`);
  }
  return normalisedMethods.includes(upper) ? upper : method;
}
