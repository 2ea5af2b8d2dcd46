import { createHash } from 'node:crypto';
import { cryptBase64 } from './crypt-base64.ts';

/** Apache's MD5 (`htpasswd -m`, `openssl passwd -apr1`), as `$apr1$<salt>$<22 characters>`. */
export function aprMd5(password: string, salt: string): string {
  const key = Buffer.from(password);
  const salted = Buffer.from(salt);
  let digest = md5(firstRound(key, salted));
  for (let round = 0; round < 1000; round++) {
    const odd = round % 2 === 1;
    const parts = [odd ? key : digest];
    if (round % 3 !== 0) parts.push(salted);
    if (round % 7 !== 0) parts.push(key);
    parts.push(odd ? digest : key);
    digest = md5(parts);
  }
  return `$apr1$${salt}$${cryptBase64(digest, order)}`;
}

function firstRound(key: Buffer, salt: Buffer): readonly Buffer[] {
  const alternate = md5([key, salt, key]);
  const parts: Buffer[] = [key, Buffer.from('$apr1$'), salt];
  for (let left = key.length; left > 0; left -= 16) {
    parts.push(alternate.subarray(0, Math.min(16, left)));
  }
  const zero = Buffer.alloc(1);
  for (let bits = key.length; bits > 0; bits >>= 1) {
    parts.push(bits % 2 === 1 ? zero : key.subarray(0, 1));
  }
  return parts;
}

/** Which octets of the digest make each group of characters. */
const order: readonly (readonly number[])[] = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
  [11],
];

function md5(parts: readonly Buffer[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
