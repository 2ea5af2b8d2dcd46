import { createHash, timingSafeEqual } from 'node:crypto';
import { aprMd5 } from './apr-md5.ts';
import type { BcryptChecks } from './bcrypt-checks.ts';
import { policyLimits } from './policy-limits.ts';
import { shaCrypt, shaCryptRoundsMax } from './sha-crypt.ts';

/** A password as htpasswd and openssl write it. */
export type PasswordHash = string;

/** What a file of the htpasswd format says. */
export interface PasswordFile {
  readonly users: ReadonlyMap<string, PasswordHash>;
  /** Users whose hash has a form that is not known here: they cannot log in. */
  readonly unusable: readonly string[];
}

/** Reads a file of htpasswd: lines `user:hash`; empty lines and those that begin with `#` say nothing. */
export function parsePasswordFile(text: string): PasswordFile {
  const users = new Map<string, PasswordHash>();
  const unusable: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    const colon = trimmed.indexOf(':');
    if (trimmed === '' || trimmed.startsWith('#') || colon <= 0) continue;
    const user = trimmed.slice(0, colon);
    // Some tools add further fields.
    const hash = trimmed.slice(colon + 1).split(':', 1)[0] ?? '';
    // The first line of a user counts, as for nginx and Apache.
    if (users.has(user)) continue;
    if (usablePattern.test(user) && formOf(hash) !== undefined) users.set(user, hash);
    else unusable.push(user);
  }
  return { users, unusable };
}

/** A name that can stand in a header as it is. */
const usablePattern = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

type HashForm = 'bcrypt' | 'apr1' | 'sha1' | 'ssha' | 'sha256' | 'sha512';

const forms: readonly (readonly [form: HashForm, pattern: RegExp])[] = [
  ['bcrypt', /^\$2[aby]\$\d\d\$[./\dA-Za-z]{53}$/],
  ['apr1', /^\$apr1\$[^$]{1,8}\$[./\dA-Za-z]{22}$/],
  ['sha1', /^\{SHA\}[\d+/A-Za-z]{27}=$/],
  ['ssha', /^\{SSHA\}[\d+/=A-Za-z]{32,}$/],
  ['sha256', /^\$5\$(?:rounds=\d+\$)?[^$]{0,16}\$[./\dA-Za-z]{43}$/],
  ['sha512', /^\$6\$(?:rounds=\d+\$)?[^$]{0,16}\$[./\dA-Za-z]{86}$/],
];

/** What bcrypt is defined for, and bcryptjs checks. */
const bcryptCostMin = 4;

function formOf(hash: PasswordHash): HashForm | undefined {
  const rounds = /^\$[56]\$rounds=(\d+)\$/.exec(hash)?.[1];
  if (rounds !== undefined && Number(rounds) > shaCryptRoundsMax) return undefined;
  const cost = Number(/^\$2.\$(\d\d)\$/.exec(hash)?.[1] ?? bcryptCostMin);
  if (cost < bcryptCostMin || cost > policyLimits.bcryptCostMax) return undefined;
  return forms.find(([, pattern]) => pattern.test(hash))?.[0];
}

/**
 * Whether `password` is the one that `hash` was made of; takes as long whatever it is. `undefined`
 * while too many others wait for bcrypt.
 */
export function matchesPassword(
  password: string,
  hash: PasswordHash,
  bcrypt: BcryptChecks,
): boolean | Promise<boolean> | undefined {
  switch (formOf(hash)) {
    case 'bcrypt':
      return bcrypt.check(password, hash);
    case 'apr1':
      return equalTexts(aprMd5(password, hash.split('$')[2] ?? ''), hash);
    case 'sha1':
      return equalTexts(`{SHA}${createHash('sha1').update(password).digest('base64')}`, hash);
    case 'ssha':
      return matchesSalted(password, hash);
    case 'sha256':
    case 'sha512':
      return equalTexts(shaCrypt(password, hash), hash);
    default:
      return false;
  }
}

function matchesSalted(password: string, hash: PasswordHash): boolean {
  const bytes = Buffer.from(hash.slice('{SSHA}'.length), 'base64');
  const digest = bytes.subarray(0, 20);
  const made = createHash('sha1').update(password).update(bytes.subarray(20)).digest();
  return digest.length === made.length && timingSafeEqual(digest, made);
}

function equalTexts(made: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(made), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
