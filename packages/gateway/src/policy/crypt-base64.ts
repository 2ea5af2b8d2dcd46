const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A digest as crypt(3) writes it: groups of octets, each from the highest octet to the lowest, as
 * characters of six bits from the lowest to the highest.
 */
export function cryptBase64(digest: Buffer, groups: readonly (readonly number[])[]): string {
  let text = '';
  for (const group of groups) {
    let bits = 0;
    for (const index of group) bits = bits * 256 + (digest[index] ?? 0);
    const characters = Math.ceil((group.length * 8) / 6);
    for (let i = 0; i < characters; i++) {
      text += alphabet[bits & 63] ?? '';
      bits >>>= 6;
    }
  }
  return text;
}
