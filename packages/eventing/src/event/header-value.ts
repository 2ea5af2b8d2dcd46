import { EventError } from './event-error.ts';

const printable = /^[\x21\x23\x24\x26-\x7e]*$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of an attribute as the value of a header: percent-encoded where it is no printable
 * ASCII, and spaces, double quotes and percent signs too (HTTP binding, section 3.1.3.2).
 */
export function encodeHeaderValue(text: string): string {
  if (printable.test(text)) return text;
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const isPlain = byte > 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x25;
    encoded += isPlain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/**
 * The text of an attribute from the value of a header, one character for each byte that came. A
 * value in double quotes is read without them; bytes beyond ASCII are read as UTF-8, as senders
 * write them that do not encode; a percent sign without two digits stands for itself.
 *
 * @throws EventError `InvalidEvent` when it is not UTF-8
 */
export function decodeHeaderValue(name: string, value: string): string {
  if (printable.test(value)) return value;
  const bare = isQuoted(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
  const bytes = Buffer.from(
    bare.replace(/%([0-9A-Fa-f]{2})/g, (_all, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    'latin1',
  );
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new EventError(
      'InvalidEvent',
      `Cannot read attribute "${name}" of event: found bytes that are not UTF-8 in its header, ` +
        'expected percent-encoded UTF-8',
      { attribute: name, cause },
    );
  }
}

function isQuoted(value: string): boolean {
  return value.length >= 2 && value.startsWith('"') && value.endsWith('"');
}
