import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

/** Longer ones would not fit among the headers of a delivery, of which Node reads 16 kB. */
const keyBytesMax = 1_024;

/**
 * The key of a record as an attribute of its event. One that cannot stand there as it is, as it is
 * no text or has control characters, does so in Base64; for one that is very long its SHA-256 does.
 */
export function partitionKeyText(key: Uint8Array): string {
  if (key.length > keyBytesMax) return hash('sha256', key, 'hex');
  const text = Buffer.from(key).toString('utf8');
  return isUtf8(key) && !/[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(text)
    ? text
    : Buffer.from(key).toString('base64');
}
