import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { errorMessage } from '@fnlet/base';
import { readChunks } from './body-chunks.ts';
import { readLines } from './json-lines.ts';
import { limits } from './limits.ts';
import type { TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** An answer whose body is still on its way. Leaving a reader early drops the connection. */
export class HttpResponse implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #body: IncomingMessage;
  readonly #request: string;
  readonly #signal: AbortSignal | undefined;

  /** `request` names the request in errors. */
  constructor(answer: IncomingMessage, request: string, signal: AbortSignal | undefined) {
    this.status = answer.statusCode ?? 0;
    this.headers = flatten(answer.headers);
    this.#body = answer;
    this.#request = request;
    this.#signal = signal;
  }

  async json(): Promise<unknown> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.bytes()) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > limits.bodyBytesMax) throw this.#tooLong(limits.bodyBytesMax);
    }
    return this.#parse(Buffer.concat(chunks).toString('utf8'));
  }

  async *documents(): AsyncGenerator<unknown, void, undefined> {
    try {
      for await (const line of readLines(this.bytes(), limits.lineBytesMax)) {
        yield this.#parse(line);
      }
    } catch (error) {
      throw error instanceof RangeError ? this.#tooLong(limits.lineBytesMax) : error;
    }
  }

  async *bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    const isZipped = this.headers['content-encoding'] === 'gzip';
    try {
      yield* readChunks(isZipped ? await unzip(this.#body) : this.#body);
    } catch (error) {
      throw this.#signal?.aborted === true
        ? this.#error('Aborted', 'aborted by the caller', error)
        : this.#error('Interrupted', `${errorMessage(error)}, expected the rest of it`, error);
    } finally {
      this.#body.destroy();
    }
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of this.bytes()) {
      yield chunk;
      release(chunk);
    }
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.#error('Interrupted', 'found text that is not JSON, expected JSON', error);
    }
  }

  #tooLong(bytesMax: number): TransportError {
    return this.#error('Interrupted', `found more than ${bytesMax} bytes, expected less`);
  }

  #error(code: 'Aborted' | 'Interrupted', found: string, cause?: unknown): TransportError {
    const message = `Cannot read the answer to ${this.#request}: ${found}`;
    return new TransportError(code, message, { cause });
  }
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}

async function unzip(body: Readable): Promise<Readable> {
  // Loaded with the first large answer.
  const { createGunzip } = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  return pipeline(body, createGunzip(), () => {});
}

/**
 * Gives the memory of a chunk back at once. The garbage collector sees only how small the object
 * around it is, and would let tens of megabytes gather. A chunk that is a part of something larger
 * may share it with others, and stays.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
