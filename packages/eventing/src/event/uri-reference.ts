const characters = /^(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;
// Most: an absolute path, or what comes after a scheme, without a fragment or brackets.
const plain = /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/)[\w.~:/?@!$&'()*+,;=-]*$/;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Whether this is a URI reference by its characters and parts, as RFC 3986, section 4.1 has it. */
export function isUriReference(text: string): boolean {
  if (plain.test(text)) return true;
  const parts = text.split('#');
  if (parts.length > 2 || !parts.every((part) => characters.test(part))) return false;
  const [before = ''] = parts;
  const [firstSegment = ''] = before.split(/[/?]/);
  // Only what follows `//` can hold brackets: they enclose the address of a host.
  const hasHost = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\//.test(before);
  if (!hasHost && /[[\]]/.test(text)) return false;
  return !firstSegment.includes(':') || scheme.test(before);
}

/** Whether it is one that starts with a scheme. */
export function isUri(text: string): boolean {
  return scheme.test(text) && isUriReference(text);
}
