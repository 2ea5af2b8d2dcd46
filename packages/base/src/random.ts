import { randomInt as randomIntBelow, randomUUID } from 'node:crypto';

/** The only source of chance; injected, so that one seed replays a whole run. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
}

// The widest range that Node draws from; it keeps random bytes in store, so a number costs no call
// of the operating system.
const drawn = 2 ** 48 - 1;

/** The machine's randomness; suitable for identifiers and tokens. */
export const systemRandom: Random = {
  next: () => randomIntBelow(drawn) / drawn,
  uuid: () => randomUUID(),
};

/** A repeatable sequence (mulberry32) for tests and the simulator; never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  const uuid = (): string =>
    `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(next() * 4)]}${hex(3)}-${hex(12)}`;
  return { next, uuid };
}

/** A whole number in [0, below). */
export function randomInt(random: Random, below: number): number {
  return Math.floor(random.next() * below);
}

// No vowels and no 0, 1, 3: names never spell words or look alike (k8s.io/apimachinery, util/rand).
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** A random suffix for object names. */
export function randomName(random: Random, length: number): string {
  let name = '';
  for (let i = 0; i < length; i++) name += nameAlphabet[randomInt(random, nameAlphabet.length)];
  return name;
}
