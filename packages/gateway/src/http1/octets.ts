/** A lookup table over all octets: 1 where `accepts` says so. */
function octetTable(accepts: (octet: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, octet) => (accepts(octet) ? 1 : 0));
}

const tokenPunctuation = "!#$%&'*+-.^_`|~";

function isAlphanumeric(octet: number): boolean {
  return /[0-9A-Za-z]/.test(String.fromCharCode(octet));
}

/** Octets of a token, such as a field name or a method (RFC 9110 §5.6.2). */
export const tokenOctets: Uint8Array = octetTable(
  (octet) => isAlphanumeric(octet) || tokenPunctuation.includes(String.fromCharCode(octet)),
);

/** Octets of a field value: HTAB, SP, visible ASCII and obs-text (RFC 9110 §5.5). */
export const textOctets: Uint8Array = octetTable(
  (octet) => octet === 0x09 || (octet >= 0x20 && octet !== 0x7f),
);

/**
 * Octets of a request target: visible ASCII without `#`. Wider than RFC 3986, because browsers leave
 * some of the rest as it is; Node's parser in the Runner draws the same line.
 */
export const targetOctets: Uint8Array = octetTable(
  (octet) => octet > 0x20 && octet < 0x7f && octet !== 0x23,
);

/** The value of a hexadecimal digit, or 255 for any other octet. */
export const hexValues: Uint8Array = Uint8Array.from({ length: 256 }, (_, octet) => {
  const digit = String.fromCharCode(octet);
  return /[0-9A-Fa-f]/.test(digit) ? Number.parseInt(digit, 16) : 255;
});

export const HTAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const HYPHEN = 0x2d;
export const UNDERSCORE = 0x5f;
export const EQUALS = 0x3d;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
