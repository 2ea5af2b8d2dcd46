import type { JsonObject } from '@fnlet/base';
import type { AuthOutcome } from '../identity.ts';

/** What the claims of a token have to say. */
export interface TokenRules {
  readonly issuer: string;
  /** One of them has to be among the audiences of the token. */
  readonly audiences: readonly string[];
  /** All of them have to be granted. */
  readonly scopes?: readonly string[];
  readonly claims?: readonly ClaimRule[];
  /** How much the clocks of issuer and Gateway may differ. */
  readonly leewayMs: number;
}

/** A claim that has to have one of these values; a claim that is a list, among its items. */
export interface ClaimRule {
  readonly claim: string;
  readonly values: readonly string[];
}

/** What is wrong with the claims of a token that was signed by its issuer, if anything is. */
export function decideClaims(
  claims: JsonObject,
  rules: TokenRules,
  wallMs: number,
): Extract<AuthOutcome, { kind: 'wrong' | 'insufficient' }> | undefined {
  const invalid = findInvalid(claims, rules, wallMs);
  if (invalid !== undefined) return { kind: 'wrong', error: 'invalid_token', message: invalid };
  const granted = grantedScopes(claims);
  const { scopes = [] } = rules;
  if (!scopes.every((scope) => granted.has(scope))) {
    const scope = scopes.join(' ');
    return { kind: 'insufficient', message: 'The token lacks a scope', scope };
  }
  for (const { claim, values } of rules.claims ?? []) {
    if (!claimValues(claims, claim).some((value) => values.includes(value))) {
      return { kind: 'insufficient', message: `The claim "${claim}" has no value that is let in` };
    }
  }
  return undefined;
}

function findInvalid(
  { iss, aud, exp, nbf }: JsonObject,
  { issuer, audiences, leewayMs }: TokenRules,
  wallMs: number,
): string | undefined {
  if (iss !== issuer) return 'The token is from another issuer';
  const meant: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!meant.some((one) => typeof one === 'string' && audiences.includes(one))) {
    return 'The token is for another audience';
  }
  if (!isTime(exp)) return 'The token does not say when it expires';
  if (exp * 1000 + leewayMs <= wallMs) return 'The token has expired';
  if (nbf !== undefined && !isTime(nbf)) return 'The token does not say from when on it is valid';
  if (nbf !== undefined && nbf * 1000 - leewayMs > wallMs) return 'The token is not valid yet';
  return undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** RFC 8693 §4.2: `scope`, words of a text; Entra and Okta have `scp`, a text or a list. */
function grantedScopes({ scope, scp }: JsonObject): ReadonlySet<string> {
  const words = (value: unknown): readonly unknown[] =>
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  const all = [...words(scope), ...words(scp)];
  return new Set(all.filter((word) => typeof word === 'string' && word !== '').map(String));
}

/** The values of a claim as texts, those of a list one by one. */
export function claimValues(claims: JsonObject, name: string): readonly string[] {
  const value = findClaim(claims, name);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => {
    if (one === undefined || one === null) return [];
    return [typeof one === 'object' ? JSON.stringify(one) : String(one)];
  });
}

/** By its own name, which may hold dots, else by a path such as `realm_access.roles`. */
function findClaim(claims: JsonObject, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const key of name.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
