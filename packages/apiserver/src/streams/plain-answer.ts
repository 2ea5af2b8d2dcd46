import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse, ApiResponseBody } from '../request/api-request.ts';

/** The head of an HTTP/1.1 answer. */
export function formatHead({ status, headers }: Pick<ApiResponse, 'status' | 'headers'>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n');
}

/**
 * Answers, on a connection that was to change its protocol, in HTTP all the same: a refusal, or
 * the answer to a request that needs no other protocol. The end of the answer is the end of the
 * connection.
 */
export async function sendPlainAnswer(
  socket: Duplex,
  { status, headers, body }: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  socket.write(formatHead({ status, headers: { ...headers, connection: 'close' } }));
  await pipeline(bytesOf(body), socket, { signal });
}

async function* bytesOf(body: ApiResponseBody): AsyncGenerator<Uint8Array, void, undefined> {
  switch (body.kind) {
    case 'json':
      yield Buffer.from(`${body.document.text}\n`);
      return;
    case 'text':
      yield Buffer.from(body.text);
      return;
    case 'bytes':
      yield body.bytes;
      return;
    case 'stream':
      yield* body.chunks;
      return;
    case 'events':
      for await (const batch of body.batches) for (const { line } of batch) yield line;
      return;
    case 'upgrade':
      return;
  }
}
