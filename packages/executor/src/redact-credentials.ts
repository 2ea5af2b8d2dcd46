const keyed = /^\s*[^=\s]*(?:_authToken|_auth|_password|password|token)\s*=\s*(.+?)\s*$/gim;
const inUrl = /\/\/[^/\s:@]*:([^/\s@]+)@/g;

/** Shorter ones would take ordinary words out of what a tool says. */
const leastCharacters = 4;

/**
 * A function that takes the credentials of a registry's configuration (.npmrc, pip.conf) out of what
 * a tool says: it goes into conditions, Events and logs.
 */
export function redactCredentials(configuration: string): (text: string) => string {
  const found = [keyed, inUrl].flatMap((pattern) =>
    [...configuration.matchAll(pattern)].map(([, value = '']) => value.replaceAll(/^"|"$/g, '')),
  );
  // As they are, and as they stand in a URL.
  const secrets = [...new Set(found.flatMap((value) => [value, tryDecode(value)]))]
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
