import { createHash } from 'node:crypto';
import { cryptBase64 } from './crypt-base64.ts';

/** A hash of more rounds takes so long that a few of them at once would hold up all other calls. */
export const shaCryptRoundsMax = 50_000;

/**
 * SHA-crypt (U. Drepper, "Unix crypt using SHA-256 and SHA-512", 0.6; `openssl passwd -5` and `-6`).
 * `setting` is `$5$<salt>` or `$6$<salt>`, with `rounds=<n>$` before the salt where these are not
 * 5000; what follows is not looked at.
 */
export function shaCrypt(password: string, setting: string): string {
  const match = /^\$([56])\$(?:rounds=(\d+)\$)?([^$]{0,16})/.exec(setting);
  const [, digit = '6', given, text = ''] = match ?? [];
  const rounds =
    given === undefined ? 5000 : Math.min(shaCryptRoundsMax, Math.max(1000, Number(given)));
  const digest = digit === '5' ? sha256 : sha512;
  const rounded = compute(digest, { key: Buffer.from(password), salt: Buffer.from(text), rounds });
  const named = given === undefined ? '' : `rounds=${rounds}$`;
  return `$${digit}$${named}${text}$${cryptBase64(rounded, digit === '5' ? order256 : order512)}`;
}

type Digest = (parts: readonly Buffer[]) => Buffer;

interface Input {
  readonly key: Buffer;
  readonly salt: Buffer;
  readonly rounds: number;
}

// The letters are the steps of the specification.
function compute(digest: Digest, { key, salt, rounds }: Input): Buffer {
  const b = digest([key, salt, key]);
  const bits: Buffer[] = [];
  for (let left = key.length; left > 0; left >>= 1) bits.push(left % 2 === 1 ? b : key);
  let a = digest([key, salt, repeat(b, key.length), ...bits]);
  const p = repeat(digest(Array.from(key, () => key)), key.length);
  const s = repeat(digest(Array.from({ length: 16 + (a[0] ?? 0) }, () => salt)), salt.length);
  for (let round = 0; round < rounds; round++) {
    const odd = round % 2 === 1;
    const parts = [odd ? p : a];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(odd ? a : p);
    a = digest(parts);
  }
  return a;
}

/** The beginning of `block` without end. */
function repeat(block: Buffer, length: number): Buffer {
  return Buffer.alloc(length, length === 0 ? undefined : block);
}

function sha256(parts: readonly Buffer[]): Buffer {
  return hashed('sha256', parts);
}

function sha512(parts: readonly Buffer[]): Buffer {
  return hashed('sha512', parts);
}

function hashed(algorithm: string, parts: readonly Buffer[]): Buffer {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Groups of three octets `stride` apart, each turned by `turn` more than the one before. */
function turnedGroups(count: number, stride: number, turn: number): number[][] {
  return Array.from({ length: count }, (_, i) =>
    [0, 1, 2].map((place) => i + stride * ((i * turn + place) % 3)),
  );
}

const order256: readonly (readonly number[])[] = [...turnedGroups(10, 10, 2), [31, 30]];
const order512: readonly (readonly number[])[] = [...turnedGroups(21, 21, 1), [63]];
