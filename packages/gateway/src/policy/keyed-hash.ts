import { hash, randomBytes } from 'node:crypto';

/**
 * A hash under a key that nobody knows: what is looked up by it takes a time that tells nothing.
 * Not an HMAC, which costs ten times as much: nobody sees such a hash, so that none is extended.
 */
export class KeyedHash {
  readonly #key = randomBytes(32);

  of(octets: Buffer): string {
    return hash('sha256', Buffer.concat([this.#key, octets]), 'base64');
  }
}
