import type { FieldBlock } from './http1/field-block.ts';
import { fieldValues } from './policy/field-changes.ts';

/** The value of a cookie that a request brings along (RFC 6265 §4.2.1). */
export function readCookie(fields: FieldBlock, name: string): string | undefined {
  for (const pair of fieldValues(fields, 'cookie').join(';').split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** Whether an answer sets this cookie. */
export function setsCookie(fields: FieldBlock, name: string): boolean {
  return fieldValues(fields, 'set-cookie').some((value) => value.startsWith(`${name}=`));
}
