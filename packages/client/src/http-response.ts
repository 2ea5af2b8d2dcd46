import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorMessage } from '@fnlet/base';
import type { Dispatcher } from 'undici';
import { readLines } from './json-lines.ts';
import { limits } from './limits.ts';
import type { TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** An answer whose body is still on its way. Leaving a reader early drops the connection. */
export class HttpResponse implements TransportResponse {
  readonly isText = true;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #request: string;
  readonly #signal: AbortSignal | undefined;

  /** `request` names the request in errors. */
  constructor(answer: Dispatcher.ResponseData, request: string, signal: AbortSignal | undefined) {
    this.status = answer.statusCode;
    this.headers = flatten(answer.headers);
    this.#body = answer.body;
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
    const body = isZipped ? pipeline(this.#body, createGunzip(), () => {}) : this.#body;
    try {
      for await (const chunk of body) yield chunk;
    } catch (error) {
      throw this.#signal?.aborted === true
        ? this.#error('Aborted', 'aborted by the caller', error)
        : this.#error('Interrupted', `${errorMessage(error)}, expected the rest of it`, error);
    } finally {
      this.#body.destroy();
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
