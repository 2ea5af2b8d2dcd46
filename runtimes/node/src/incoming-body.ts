import type { IncomingMessage } from 'node:http';

/** A body larger than the Revision allows. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly status = 413;
  readonly expose = true;

  constructor(bodyBytesMax: number) {
    super(`Cannot take the request body: expected at most ${bodyBytesMax} bytes`);
  }
}

/** A body that is not what its content type says. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
  readonly status = 400;
  readonly expose = true;
}

/**
 * The body of a request that came in: nothing is read before somebody asks, and never more than
 * `bytesMax`. When there is more, the reader gets a {@link BodyTooLarge} and `onTooLarge` is called;
 * when the client goes away, an AbortError.
 */
export class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #bytesMax: number;
  readonly #onTooLarge: (error: BodyTooLarge) => void;

  constructor(
    request: IncomingMessage,
    bytesMax: number,
    onTooLarge: (error: BodyTooLarge) => void,
  ) {
    this.#request = request;
    this.#bytesMax = bytesMax;
    this.#onTooLarge = onTooLarge;
  }

  /** Reads all of it. With listeners: an async iterator would cost small bodies a third more. */
  bytes(): Promise<Buffer<ArrayBuffer>> {
    const request = this.#request;
    if (request.readableAborted) return Promise.reject(clientGone());
    const chunks: Buffer<ArrayBuffer>[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      request.on('data', (chunk: Buffer<ArrayBuffer>) => {
        size += chunk.length;
        if (size > this.#bytesMax) reject(this.#tooLarge());
        else chunks.push(chunk);
      });
      request.on('end', () => resolve(joined(chunks)));
      request.on('close', () => {
        if (request.readableAborted) reject(clientGone());
      });
    });
  }

  /** Reads it piece by piece, as fast as the consumer takes the pieces. */
  stream(): ReadableStream<Uint8Array> {
    return ReadableStream.from(this.#chunks());
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    let size = 0;
    const chunks = this.#request.iterator({ destroyOnReturn: false });
    try {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > this.#bytesMax) throw this.#tooLarge();
        yield asPlainBytes(chunk);
      }
    } catch (error) {
      throw this.#request.readableAborted ? clientGone() : error;
    }
  }

  #tooLarge(): BodyTooLarge {
    const error = new BodyTooLarge(this.#bytesMax);
    this.#onTooLarge(error);
    return error;
  }
}

// A Buffer's slice, toString and JSON are not those of the Uint8Array that the standard promises.
function asPlainBytes({ buffer, byteOffset, byteLength }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function joined(chunks: readonly Buffer<ArrayBuffer>[]): Buffer<ArrayBuffer> {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function clientGone(): DOMException {
  return new DOMException('The client went away', 'AbortError');
}

/** Whether a request has a body at all (RFC 9112, 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Whether a body consists of parts, which a parser of the handler's own may take apart. */
export function isMultipart({ headers }: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(headers['content-type'] ?? '');
}

/** The size that a request declares; 0 when it declares none. */
export function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}
