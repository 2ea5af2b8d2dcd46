import { errorMessage } from '@fnlet/base';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@fnlet/client';
import type { ApiRequest, ApiResponse, ApiResponseBody, User } from './request/api-request.ts';

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/**
 * The way from a client in this process to the API: the same requests and answers as over HTTPS,
 * without sockets and without JSON text. Answers share their values with the store.
 */
export function createInProcessTransport(handle: Handle, user: User): Transport {
  return new InProcessTransport(handle, user);
}

class InProcessTransport implements Transport {
  readonly #handle: Handle;
  readonly #user: User;
  readonly #closed = new AbortController();

  constructor(handle: Handle, user: User) {
    this.#handle = handle;
    this.#user = user;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const name = `${request.method} ${request.path}`;
    if (this.#closed.signal.aborted) {
      const message = `Cannot send ${name}: found a closed transport, expected an open one`;
      throw new TransportError('Unreachable', message);
    }
    const { signal: caller } = request;
    if (caller?.aborted === true) throw aborted(name);
    // Ends with the caller, with the transport, or when a reader leaves its body.
    const left = new AbortController();
    const signals = [this.#closed.signal, left.signal, ...(caller === undefined ? [] : [caller])];
    const signal = AbortSignal.any(signals);
    const answer = await orAborted(
      this.#handle(toApiRequest(request, this.#user, signal)),
      signal,
      name,
    );
    return new InProcessResponse(answer, { signal, name, leave: () => left.abort() });
  }

  close(): Promise<void> {
    this.#closed.abort();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function toApiRequest(request: TransportRequest, user: User, signal: AbortSignal): ApiRequest {
  const {
    method,
    path,
    query = {},
    headers = {},
    body,
    contentType = 'application/json',
  } = request;
  const lowered = Object.entries(headers).map(
    ([key, value]) => [key.toLowerCase(), value] as const,
  );
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers: {
      ...Object.fromEntries(lowered),
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    body: toApiBody(body),
    user,
    signal,
  };
}

function toApiBody(body: unknown): ApiRequest['body'] {
  if (body === undefined) return undefined;
  return body instanceof Uint8Array
    ? { kind: 'bytes', bytes: body }
    : { kind: 'value', value: body };
}

function aborted(name: string): TransportError {
  return new TransportError('Aborted', `Cannot go on with ${name}: aborted by the caller`);
}

/** The value, unless the signal aborts first. */
function orAborted<T>(value: Promise<T>, signal: AbortSignal, name: string): Promise<T> {
  if (signal.aborted) {
    // Nobody waits for it any more, so nobody else hears how it ends.
    value.catch(() => undefined);
    return Promise.reject(aborted(name));
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(aborted(name));
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    value.then(resolve, reject).finally(settle);
  });
}

interface Reading {
  readonly signal: AbortSignal;
  /** Names the request in errors. */
  readonly name: string;
  /** Tells the server that nobody reads on. */
  leave(): void;
}

class InProcessResponse implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #body: ApiResponseBody;
  readonly #reading: Reading;

  constructor({ status, headers, body }: ApiResponse, reading: Reading) {
    this.status = status;
    this.headers = headers;
    this.#body = body;
    this.#reading = reading;
  }

  async json(): Promise<unknown> {
    if (this.#body.kind === 'json') return this.#body.document.value;
    const text = Buffer.concat(await Array.fromAsync(this.bytes())).toString('utf8');
    return parse(text, this.#reading.name);
  }

  async *documents(): AsyncGenerator<unknown, void, undefined> {
    if (this.#body.kind === 'events') {
      for await (const batch of readAll(this.#body.batches, this.#reading)) {
        for (const { value } of batch) yield value;
      }
      return;
    }
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.bytes()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield parse(line, this.#reading.name);
    }
    if (rest !== '') yield parse(rest, this.#reading.name);
  }

  async *bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    const body = this.#body;
    switch (body.kind) {
      case 'json':
        yield Buffer.from(body.document.text);
        return;
      case 'text':
        yield Buffer.from(body.text);
        return;
      case 'bytes':
        yield body.bytes;
        return;
      case 'stream':
        yield* readAll(body.chunks, this.#reading);
        return;
      case 'upgrade':
        throw new TransportError(
          'Interrupted',
          `Cannot read the answer to ${this.#reading.name}: found a change of protocol, expected a body`,
        );
      case 'events':
        for await (const batch of readAll(body.batches, this.#reading)) {
          for (const { line } of batch) yield line;
        }
    }
  }
}

/** What comes, until it ends, the reader leaves, or the request is aborted. */
async function* readAll<T>(
  source: AsyncIterable<T>,
  { signal, name, leave }: Reading,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await orAborted(iterator.next(), signal, name);
      if (signal.aborted) throw aborted(name);
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    leave();
    // Not awaited: a source that is silent at the moment could take its time to notice.
    void iterator.return?.();
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = `Cannot read the answer to ${name}: ${errorMessage(error)}, expected JSON`;
    throw new TransportError('Interrupted', message, { cause: error });
  }
}
