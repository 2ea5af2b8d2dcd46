import { isUtf8 } from 'node:buffer';

/**
 * The key of a record as an attribute of its event. One that cannot stand there as it is, as it is
 * no text or has control characters, does so in Base64.
 */
export function partitionKeyText(key: Uint8Array): string {
  const text = Buffer.from(key).toString('utf8');
  return isUtf8(key) && !/[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(text)
    ? text
    : Buffer.from(key).toString('base64');
}
