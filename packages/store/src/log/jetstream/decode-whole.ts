import { LogError } from '../log-error.ts';

/**
 * Reads bytes that are there as a whole, or not at all.
 *
 * @param expected what they should be, for the message
 * @throws LogError `Broken` when `decode` runs over their end
 */
export function decodeWhole<T>(
  data: Uint8Array,
  expected: string,
  decode: (bytes: Buffer) => T,
): T {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  try {
    return decode(bytes);
  } catch (cause) {
    const found = `found a message of ${bytes.length} bytes that is not whole`;
    throw new LogError('Broken', `Cannot read the log: ${found}, expected ${expected}`, { cause });
  }
}
