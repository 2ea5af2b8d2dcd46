const keyed = /^\s*[^=\s]*(?:_authToken|_auth|_password|password|token)\s*=\s*(.+?)\s*$/gim;
const inUrl = /\/\/[^/\s:@]*:([^/\s@]+)@/g;
// A token in place of a user, as several hosts of packages have it.
const userOfUrl = /\/\/([^/\s:@]{16,}):?@/g;

/** Shorter ones would take ordinary words out of what a tool says. */
const leastCharacters = 4;

/**
 * A function that takes the credentials of a registry's configuration (.npmrc, pip.conf) out of what
 * a tool says: it goes into conditions, Events and logs.
 */
export function redactCredentials(configuration: string): (text: string) => string {
  const found = [keyed, inUrl, userOfUrl].flatMap((pattern) =>
    [...configuration.matchAll(pattern)].map(([, value = '']) => value.replaceAll(/^"|"$/g, '')),
  );
  // As they are, as they stand in a URL, and as `_password` and `_auth` wrap them.
  const secrets = [
    ...new Set(found.flatMap((value) => [value, tryDecode(value), ...unwrap(value)])),
  ]
    .filter((value) => value.length >= leastCharacters)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

function tryDecode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

// Base64 of a password, or of `user:password`.
function unwrap(value: string): readonly string[] {
  if (!/^[\w+/]{4,}={0,2}$/.test(value)) return [];
  const text = Buffer.from(value, 'base64').toString();
  return /^[\x20-\x7e]+$/.test(text) ? [text, text.slice(text.indexOf(':') + 1)] : [];
}
