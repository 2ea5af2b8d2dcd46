import { isUtf8 } from 'node:buffer';
import type { KeptBody } from './call.ts';

/** Octets as JSON can hold them. */
export function keepBody(bytes: Uint8Array): KeptBody {
  if (bytes.length === 0) return {};
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return isUtf8(bytes) ? { text: buffer.toString('utf8') } : { base64: buffer.toString('base64') };
}

/** The octets that were kept. */
export function bodyBytes({ text, base64 }: KeptBody): Uint8Array {
  return base64 === undefined ? Buffer.from(text ?? '', 'utf8') : Buffer.from(base64, 'base64');
}
