/**
 * Users and passwords (RFC 7617). Checking one is slow by intention, and holds up the thread, but
 * for bcrypt, which is slower still and has one of its own.
 *
 * I1. A client that sends wrong passwords is soon refused without any check.
 * I2. Credentials that were right are remembered, as a keyed hash, so that a user who calls often
 *     is checked once, also where many calls come at once. A new file of users forgets all.
 * I3. How long an answer takes does not tell whether a user exists: a name that nobody has is
 *     checked against the hash of one of the others, always the same one.
 */
import { clientBlock } from './address-ranges.ts';
import type { BcryptChecks } from './bcrypt-checks.ts';
import { fieldValues } from './field-changes.ts';
import type { Authenticator, AuthOutcome, Now } from './identity.ts';
import { KeyedHash } from './keyed-hash.ts';
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
  readonly #bcrypt: BcryptChecks;
  readonly #decoys: readonly PasswordHash[];
  readonly #chance = new KeyedHash();
  readonly #failures = new RateLimiter(failureRule, policyLimits.rateClientsMax);
  readonly #remembered = new RememberedCredentials<AuthOutcome | Promise<AuthOutcome>>();

  constructor({ realm, users }: BasicSettings, bcrypt: BcryptChecks) {
    this.challenge = `Basic realm="${realm.replace(/["\\]/g, '\\$&')}", charset="UTF-8"`;
    this.#users = users;
    this.#decoys = [...users.values()];
    this.#bcrypt = bcrypt;
  }

  authenticate(
    { head, clientAddress }: PolicyRequest,
    { monotonicMs }: Now,
  ): AuthOutcome | Promise<AuthOutcome> {
    const [value = ''] = fieldValues(head.fields, 'authorization');
    const encoded = /^basic +([\w+/=-]*)$/i.exec(value)?.[1];
    if (encoded === undefined) return /^basic( |$)/i.test(value) ? wrong : { kind: 'absent' };
    if (encoded.length > policyLimits.passwordCharactersMax) return wrong;
    const credentials = Buffer.from(encoded, 'base64').toString();
    const colon = credentials.indexOf(':');
    if (colon < 1) return wrong;
    const { finding, remember, forget } = this.#remembered.look(credentials);
    if (finding !== undefined) return finding;
    const client = clientBlock(clientAddress);
    // Those that are still being checked count as wrong.
    const { admitted, nextInMs } = this.#failures.take(client, monotonicMs);
    if (!admitted) return { kind: 'limited', retryAfterMs: nextInMs };
    const settle = (outcome: AuthOutcome): AuthOutcome => {
      if (outcome.kind !== 'wrong') this.#failures.giveBack(client);
      if (outcome.kind === 'verified') remember(outcome);
      else forget();
      return outcome;
    };
    const outcome = this.#check(credentials.slice(0, colon), credentials.slice(colon + 1));
    if (!(outcome instanceof Promise)) return settle(outcome);
    const settled = outcome.then(settle, (error: unknown) => {
      forget();
      throw error;
    });
    remember(settled);
    return settled;
  }

  #check(consumer: string, password: string): AuthOutcome | Promise<AuthOutcome> {
    const hash = this.#users.get(consumer);
    const judge = (right: boolean): AuthOutcome =>
      right && hash !== undefined
        ? { kind: 'verified', identity: { method: 'basic', consumer } }
        : wrong;
    const right = matchesPassword(password, hash ?? this.#decoyFor(consumer), this.#bcrypt);
    if (right === undefined) return { kind: 'busy' };
    return right instanceof Promise ? right.then(judge) : judge(right);
  }

  /** I3 */
  #decoyFor(consumer: string): PasswordHash {
    const chance = Buffer.from(this.#chance.of(Buffer.from(consumer)), 'base64').readUInt32LE();
    return this.#decoys[chance % this.#decoys.length] ?? '';
  }
}
