import { connectionOptions, type FieldBlock, readFieldBlock } from './field-block.ts';
import type { Head } from './head-reader.ts';
import { type MessageFraming, readMessageFraming } from './message-framing.ts';
import { Rejection } from './rejection.ts';

/** An answer up to its body. */
export interface ResponseHead {
  readonly status: number;
  /** Status and reason as they stood in the status line, such as `404 Not Found`. */
  readonly statusText: string;
  readonly fields: FieldBlock;
  readonly framing: MessageFraming;
  /** Whether the connection can carry another request after this answer. */
  readonly keepAlive: boolean;
}

/** Parses a complete response head. The status of a {@link Rejection} has no meaning here. */
export function parseResponseHead(head: Head): ResponseHead | Rejection {
  const text = head.bytes.toString('latin1', head.start, head.lineEnds.at(-1));
  const line = text.slice(0, (head.lineEnds[0] ?? head.start) - 2 - head.start);
  const version = line.startsWith('HTTP/1.1 ') ? '1.1' : '1.0';
  if (version === '1.0' && !line.startsWith('HTTP/1.0 ')) {
    return new Rejection(502, 'the status line is broken');
  }
  const status = readStatus(line);
  if (status === undefined) return new Rejection(502, 'the status line is broken');
  const fields = readFieldBlock(head, text);
  if (fields instanceof Rejection) return fields;
  const framing = readMessageFraming(fields, version);
  if (framing instanceof Rejection) return framing;
  const connection = fields.known.get('connection');
  const closes = connection !== undefined && connectionOptions(connection).includes('close');
  const statusText = line.slice(9);
  return { status, statusText, fields, framing, keepAlive: version === '1.1' && !closes };
}

function readStatus(line: string): number | undefined {
  const digits = line.slice(9, 12);
  const separator = line.charCodeAt(12);
  if (!(separator === 0x20 || line.length === 12) || !/^[1-5]\d\d$/.test(digits)) return undefined;
  return Number(digits);
}
