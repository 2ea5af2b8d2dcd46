/**
 * API keys, of which only hashes are known.
 *
 * Whether a key is one of them is looked up by what a keyed hash, whose key nobody knows, makes of
 * its hash. How long that takes says nothing about how much of a guess was right, and does not
 * depend on how many keys there are.
 */
import { hash } from 'node:crypto';
import { fieldValues } from './field-changes.ts';
import type { Authenticator, AuthOutcome } from './identity.ts';
import { KeyedHash } from './keyed-hash.ts';
import { queryValues } from './query-parameters.ts';
import type { PolicyRequest } from './route-policy.ts';

export interface ApiKeySettings {
  /** Header that carries the key. */
  readonly header: string;
  /** Query parameter that may carry it instead. */
  readonly query?: string;
  /** Hashes by name of the consumer, as {@link parseKeyHashes} reads them. */
  readonly consumers: ReadonlyMap<string, readonly string[]>;
}

/** Longer ones were not made by anybody who wants to be let in. */
const keyCharactersMax = 1024;

/**
 * Reads what the value of a Secret says about the keys of one consumer: one or more
 * `sha256:<64 hexadecimal digits>` between white space. `undefined` when it says anything else.
 */
export function parseKeyHashes(text: string): readonly string[] | undefined {
  const words = text.trim().split(/\s+/);
  if (!words.every((word) => /^sha256:[\da-f]{64}$/i.test(word))) return undefined;
  return words.map((word) => word.slice('sha256:'.length).toLowerCase());
}

export class ApiKeys implements Authenticator {
  readonly challenge: string;
  readonly credentialFields: readonly string[];
  readonly credentialParameter?: string;
  readonly identityFields: readonly string[] = [];
  readonly #header: string;
  readonly #keyed = new KeyedHash();
  readonly #consumers = new Map<string, string>();

  constructor({ header, query, consumers }: ApiKeySettings) {
    this.#header = header.toLowerCase();
    this.challenge = `ApiKey realm="api", header="${header}"`;
    this.credentialFields = [this.#header];
    if (query !== undefined) this.credentialParameter = query;
    for (const [consumer, digests] of consumers) {
      for (const digest of digests) {
        this.#consumers.set(this.#keyed.of(Buffer.from(digest, 'hex')), consumer);
      }
    }
  }

  authenticate({ head }: PolicyRequest): AuthOutcome {
    const given = fieldValues(head.fields, this.#header);
    const query = this.credentialParameter;
    const keys = given.length > 0 || query === undefined ? given : queryValues(head.target, query);
    const [key] = keys;
    if (key === undefined) return { kind: 'absent' };
    // Of two keys the function could see the other one.
    if (keys.length > 1) return wrong;
    if (key === '' || key.length > keyCharactersMax) return wrong;
    // A header is octets, a parameter is text.
    const octets = Buffer.from(key, given.length > 0 ? 'latin1' : 'utf8');
    const consumer = this.#consumers.get(this.#keyed.of(hash('sha256', octets, 'buffer')));
    return consumer === undefined
      ? wrong
      : { kind: 'verified', identity: { method: 'apiKey', consumer } };
  }
}

const wrong: AuthOutcome = { kind: 'wrong', message: 'The API key is not known' };
