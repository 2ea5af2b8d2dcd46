import { type Clock, hasCode, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Store } from '@fnlet/store';
import { tokenBytesMax, verifiedTokensMax } from '../limits.ts';
import { objectField, textField } from '../object/object-form.ts';
import { readObject } from '../object/objects.ts';
import type { User } from '../request/api-request.ts';
import type { Catalog } from '../resource/catalog.ts';
import { meantFor } from './authentication.ts';
import type { TokenIdentification } from './identify-token.ts';
import { serviceAccountGroups } from './impersonation.ts';
import { tokenIssuer } from './issuer.ts';
import { formatJwt, parseJwt } from './jwt.ts';
import { serviceAccountUser } from './policy.ts';
import { type ObjectClaim, parseClaims, type TokenClaims } from './token-claims.ts';
import type { TokenIssuer } from './token-issuer.ts';
import { generateTokenKey, parseTokenKey, type TokenKey } from './token-key.ts';

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly catalog: Catalog;
  /** Signs tokens. Default: a key that is made when it is first needed, and kept in the store. */
  readonly keyPem?: string | undefined;
}

/** Where the key lies in the store; no path of the API leads there. */
const keyPlace = 'keys/service-account-tokens';

/**
 * Signs and recognises the tokens of ServiceAccounts.
 *
 * I1. A signature is verified once per token, for it stays true; that the token has not expired and
 *     that what it names is still there is looked at each time.
 * I2. One key signs all tokens, for as long as the store lives.
 */
export class ServiceAccountTokens implements TokenIssuer {
  readonly #parts: Parts;
  #key: TokenKey | undefined;
  /** Tokens with a good signature, the oldest first. */
  readonly #verified = new Map<string, TokenClaims>();

  constructor(parts: Parts) {
    this.#parts = parts;
    if (parts.keyPem !== undefined) this.#key = parseTokenKey(parts.keyPem);
  }

  async issue(claims: JsonObject): Promise<string> {
    const { algorithm, id, sign } = await this.#ensureKey();
    return formatJwt({ alg: algorithm, kid: id }, claims, sign);
  }

  async publicKeys(): Promise<readonly JsonObject[]> {
    return [(await this.#ensureKey()).publicJwk];
  }

  async #ensureKey(): Promise<TokenKey> {
    const known = this.#findKey();
    if (known !== undefined) return known;
    const { store } = this.#parts;
    try {
      const value = { pem: generateTokenKey() };
      await store.write([{ key: keyPlace, value, expected: 0 }]);
    } catch (error) {
      // Somebody else was faster, so theirs it is.
      if (!hasCode(error, 'Conflict')) throw error;
    }
    return this.#ensureKey();
  }

  #findKey(): TokenKey | undefined {
    if (this.#key !== undefined) return this.#key;
    const kept = this.#parts.store.get(keyPlace);
    if (kept !== undefined) this.#key = parseTokenKey(textField(kept.value, 'pem'));
    return this.#key;
  }

  /** Whom a token stands for, if it is meant for one of the audiences. */
  identify(token: string, audiences: readonly string[]): TokenIdentification {
    const claims = this.#verify(token);
    if (claims === undefined) return { problem: 'invalid bearer token' };
    const problem = this.#problemOf(claims, token);
    if (problem !== undefined) return { problem: `[invalid bearer token, ${problem}]` };
    return meantFor(toUser(claims), claims.audiences ?? [tokenIssuer], audiences);
  }

  #verify(token: string): TokenClaims | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    if (token.length > tokenBytesMax) return undefined;
    const jwt = parseJwt(token);
    const key = jwt === undefined ? undefined : this.#findKey();
    if (jwt === undefined || key === undefined) return undefined;
    // The key says how it signs: what the token says of that is only compared (RFC 8725, 3.1).
    if (jwt.header.alg !== key.algorithm || jwt.header.kid !== key.id) return undefined;
    if (!key.verify(jwt.signed, jwt.signature)) return undefined;
    const claims = parseClaims(jwt.claims);
    if (claims !== undefined) this.#remember(token, claims);
    return claims;
  }

  #remember(token: string, claims: TokenClaims): void {
    this.#verified.set(token, claims);
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > verifiedTokensMax && oldest !== undefined) {
      this.#verified.delete(oldest);
    }
  }

  /** Why the token counts no more; `undefined` when it does. */
  #problemOf(claims: TokenClaims, token: string): string | undefined {
    const { namespace, account, pod, secret, node, notBefore, expiresAt } = claims;
    const seconds = this.#parts.clock.now() / 1000;
    if (seconds >= expiresAt) return 'service account token has expired';
    if (seconds < notBefore - clockLeewaySeconds) return 'service account token is not valid yet';
    const found = this.#read('serviceaccounts', { namespace, name: account.name });
    if (found === undefined) return `serviceaccounts "${account.name}" not found`;
    if (found.metadata.uid !== account.uid) {
      return `service account UID (${found.metadata.uid}) does not match claim (${account.uid})`;
    }
    const bound: readonly (readonly [
      plural: string,
      scope: string,
      claim: ObjectClaim | undefined,
    ])[] = [
      ['pods', namespace, pod],
      ['nodes', '', pod === undefined ? node : undefined],
      ['secrets', namespace, claims.id === '' ? undefined : secret],
    ];
    const isLost = bound.some(
      ([plural, scope, claim]) => claim !== undefined && !this.#isThere(plural, scope, claim),
    );
    const isLegacy = claims.id === '' && secret !== undefined;
    if (isLost || (isLegacy && !this.#isHeld(namespace, secret.name, token))) {
      return 'service account token has been invalidated';
    }
    return undefined;
  }

  #isThere(plural: string, namespace: string, { name, uid }: ObjectClaim): boolean {
    return this.#read(plural, { namespace, name })?.metadata.uid === uid;
  }

  /** Whether the Secret still holds the token. */
  #isHeld(namespace: string, name: string, token: string): boolean {
    const secret = this.#read('secrets', { namespace, name });
    const held = secret === undefined ? '' : textField(objectField(secret, 'data'), 'token');
    return Buffer.from(held, 'base64').toString() === token;
  }

  #read(plural: string, key: { namespace: string; name: string }): KubeObject | undefined {
    const resource = this.#parts.catalog.find('', 'v1', plural);
    return resource === undefined ? undefined : readObject(this.#parts, resource, key)?.object;
  }
}

// The clock may have been set back since the token was made.
const clockLeewaySeconds = 60;

function toUser({ id, namespace, account, pod, node }: TokenClaims): User {
  const name = serviceAccountUser(namespace, account.name);
  const prefix = 'authentication.kubernetes.io';
  const extra = {
    ...(id === '' ? {} : { [`${prefix}/credential-id`]: [`JTI=${id}`] }),
    ...objectExtra(`${prefix}/node`, node),
    ...objectExtra(`${prefix}/pod`, pod),
  };
  return {
    name,
    uid: account.uid,
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function objectExtra(
  prefix: string,
  claim: ObjectClaim | undefined,
): Readonly<Record<string, readonly string[]>> {
  if (claim === undefined) return {};
  return { [`${prefix}-name`]: [claim.name], [`${prefix}-uid`]: [claim.uid] };
}
