import type { HeaderField } from '@fnlet/invocation';
import { tokenOctets } from '../http1/octets.ts';

/** The fields of lines that each end with CRLF, as a parser has left them. */
export function readHeaderFields(lines: string): HeaderField[] {
  const fields: HeaderField[] = [];
  let start = 0;
  while (start < lines.length) {
    const end = endOfLine(lines, start);
    const colon = lines.indexOf(':', start);
    if (colon > start && colon < end) {
      fields.push([lines.slice(start, colon), lines.slice(colon + 1, end).trim()]);
    }
    start = end + 2;
  }
  return fields;
}

function endOfLine(lines: string, start: number): number {
  const end = lines.indexOf('\r\n', start);
  return end < 0 ? lines.length : end;
}

/** The lines of fields, each with its CRLF; `undefined` when one of them is no field. */
export function formatHeaderFields(fields: readonly HeaderField[]): string | undefined {
  let lines = '';
  for (const [name, value] of fields) {
    if (!isField(name, value)) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

// RFC 9110 §5.5: no control character but HTAB. Octets beyond ASCII pass, as latin1.
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether a line can be made of a name and a value. */
export function isField(name: string, value: string): boolean {
  return isToken(name) && fieldValue.test(value);
}

function isToken(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (tokenOctets[text.charCodeAt(i)] !== 1) return false;
  return text !== '';
}
