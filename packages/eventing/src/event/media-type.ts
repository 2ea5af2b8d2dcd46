const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = `;[ \\t]*(?:${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?`;
const mediaType = new RegExp(`^${token}/${token}[ \\t]*(?:${parameter})*$`);
const charset = /;[ \t]*charset=(?:"([^"]*)"|([^;\s"]*))/i;

/** Whether this is a media type with its parameters, as RFC 2046 has it. */
export function isMediaType(text: string): boolean {
  return mediaType.test(text);
}

/** The type without parameters, in lower case. */
export function essenceOf(text: string): string {
  const end = text.indexOf(';');
  return (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
}

/** Whether it declares JSON: `*\/json` or `*\/*+json`. */
export function isJsonType(text: string): boolean {
  return /\/(?:.*\+)?json$/.test(essenceOf(text));
}

/** Whether it declares characters rather than bytes, beside JSON. */
export function isTextType(text: string): boolean {
  return /^text\/|[/+]xml$/.test(essenceOf(text));
}

/** Whether what it declares is read as UTF-8: it says so, says ASCII, or says nothing. */
export function isUtf8(text: string): boolean {
  const match = charset.exec(text);
  if (match === null) return true;
  return /^(?:utf-?8|us-ascii)$/i.test(match[1] ?? match[2] ?? '');
}
