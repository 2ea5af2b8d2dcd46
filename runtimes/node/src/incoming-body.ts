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

/**
 * The body of a request that came in: nothing is read before somebody asks, and never more than
 * `bytesMax`. When there is more, the reader gets a {@link BodyTooLarge} and `onTooLarge` is called.
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

  /** Reads all of it. */
  async bytes(): Promise<Buffer<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Reads it piece by piece, as fast as the consumer takes the pieces. */
  stream(): ReadableStream<Uint8Array> {
    return ReadableStream.from(this.chunks());
  }

  async *chunks(): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of this.#request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > this.#bytesMax) {
        const error = new BodyTooLarge(this.#bytesMax);
        this.#onTooLarge(error);
        throw error;
      }
      yield chunk;
    }
  }
}

/** Whether a request has a body at all (RFC 9112, 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** The size that a request declares; 0 when it declares none. */
export function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}
