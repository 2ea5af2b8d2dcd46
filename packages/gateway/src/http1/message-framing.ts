import type { FieldBlock } from './field-block.ts';
import { Rejection } from './rejection.ts';

/** How the end of a body is found, as its fields say (RFC 9112 §6). */
export interface MessageFraming {
  readonly chunked: boolean;
  /** Content-Length, or -1 when there is none. */
  readonly contentLength: number;
}

const unframed: MessageFraming = { chunked: false, contentLength: -1 };
const chunked: MessageFraming = { chunked: true, contentLength: -1 };

/**
 * Reads what the fields say about the body. There is one way to say each thing: anything that two
 * readers could understand differently is refused.
 */
export function readMessageFraming(
  fields: FieldBlock,
  version: '1.0' | '1.1',
): MessageFraming | Rejection {
  const coding = fields.known.get('transfer-encoding');
  const length = fields.known.get('content-length');
  if (coding === undefined && length === undefined) return unframed;
  if (coding !== undefined) {
    if (version === '1.0') return new Rejection(400, 'HTTP/1.0 knows no Transfer-Encoding');
    if (length !== undefined) {
      return new Rejection(400, 'both Transfer-Encoding and Content-Length are given');
    }
    return coding.toLowerCase() === 'chunked'
      ? chunked
      : new Rejection(400, 'Transfer-Encoding is not exactly "chunked"');
  }
  // Fifteen digits stay within the safe integers.
  return length !== undefined && /^\d{1,15}$/.test(length)
    ? { chunked: false, contentLength: Number(length) }
    : new Rejection(400, 'Content-Length is not a number');
}
