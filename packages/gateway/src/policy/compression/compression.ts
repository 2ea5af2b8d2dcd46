import type { CallClient, ClientCall } from '../../client-call.ts';
import type { RequestHead } from '../../http1/request-head.ts';
import { fieldValues } from '../field-changes.ts';
import type { AnswerCoding } from '../route-policy.ts';
import { CompressedCall, type CompressionContext } from './compressed-call.ts';

/** Compresses answers of a route for clients that accept it. */
export class Compression implements AnswerCoding {
  readonly #context: CompressionContext;

  constructor(context: CompressionContext) {
    this.#context = context;
  }

  /** HTTP/1.0 knows no chunks. */
  between(
    { method, version, fields }: RequestHead,
    client: CallClient,
    start: (client: CallClient) => ClientCall,
  ): ClientCall {
    if (version === '1.0') return start(client);
    const accepted = fieldValues(fields, 'accept-encoding');
    const acceptEncoding = accepted.length === 0 ? undefined : accepted.join();
    const ifNoneMatch = fieldValues(fields, 'if-none-match');
    const request = { method, acceptEncoding, ifNoneMatch };
    return new CompressedCall(client, start, { ...this.#context, request });
  }
}
