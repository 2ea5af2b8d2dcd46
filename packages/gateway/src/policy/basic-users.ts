/**
 * Users and passwords (RFC 7617). Checking one is slow by intention, and holds up the thread.
 *
 * I1. A client that sends wrong passwords is soon refused without any check.
 * I2. Credentials that were right are remembered, as a keyed hash, so that a user who calls often
 *     is checked once. At most `rememberedMax` are; a new file of users forgets all.
 */
import { clientBlock } from './address-ranges.ts';
import { fieldValues } from './field-changes.ts';
import type { Authenticator, AuthOutcome, Now } from './identity.ts';
import { matchesPassword, type PasswordHash } from './password-file.ts';
import { policyLimits } from './policy-limits.ts';
import { RateLimiter, type RateRule } from './rate-limiter.ts';
import { RememberedCredentials } from './remembered-credentials.ts';
import type { PolicyRequest } from './route-policy.ts';

export interface BasicSettings {
  readonly realm: string;
  readonly users: ReadonlyMap<string, PasswordHash>;
}

/** Wrong passwords of one client: a person who mistypes is not refused, a program that guesses is. */
const failureRule: RateRule = { requests: 20, periodMs: 60_000, burst: 10 };

const wrong: AuthOutcome = { kind: 'wrong', message: 'The user name or the password is wrong' };

export class BasicUsers implements Authenticator {
  readonly challenge: string;
  readonly credentialFields: readonly string[] = ['authorization'];
  readonly identityFields: readonly string[] = [];
  readonly #users: ReadonlyMap<string, PasswordHash>;
  /** What passwords of users who do not exist are compared with, so that it takes as long. */
  readonly #decoy: PasswordHash;
  readonly #failures = new RateLimiter(failureRule, policyLimits.rateClientsMax);
  readonly #remembered = new RememberedCredentials<true>();

  constructor({ realm, users }: BasicSettings) {
    this.challenge = `Basic realm="${realm.replace(/["\\]/g, '\\$&')}", charset="UTF-8"`;
    this.#users = users;
    this.#decoy = users.values().next().value ?? '';
  }

  authenticate({ head, clientAddress }: PolicyRequest, { monotonicMs }: Now): AuthOutcome {
    const [value = ''] = fieldValues(head.fields, 'authorization');
    const encoded = /^basic +([\w+/=-]*)$/i.exec(value)?.[1];
    if (encoded === undefined) return /^basic( |$)/i.test(value) ? wrong : { kind: 'absent' };
    if (encoded.length > policyLimits.passwordCharactersMax) return wrong;
    const credentials = Buffer.from(encoded, 'base64').toString();
    const colon = credentials.indexOf(':');
    if (colon < 1) return wrong;
    const consumer = credentials.slice(0, colon);
    const { finding, remember } = this.#remembered.look(credentials);
    if (finding === undefined) {
      const client = clientBlock(clientAddress);
      const { admitted, nextInMs } = this.#failures.look(client, monotonicMs);
      if (!admitted) return { kind: 'limited', retryAfterMs: nextInMs };
      const hash = this.#users.get(consumer);
      const right = matchesPassword(credentials.slice(colon + 1), hash ?? this.#decoy);
      if (!right || hash === undefined) {
        this.#failures.take(client, monotonicMs);
        return wrong;
      }
      remember(true);
    }
    return { kind: 'verified', identity: { method: 'basic', consumer } };
  }
}
