import { fieldValues } from '../field-changes.ts';
import { type Authenticator, type AuthOutcome, encodeFieldValue, type Now } from '../identity.ts';
import { RememberedCredentials } from '../remembered-credentials.ts';
import type { PolicyRequest } from '../route-policy.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { type JsonWebToken, parseJsonWebToken, type TokenAlgorithm } from './json-web-token.ts';
import { claimValues, decideClaims, type TokenRules } from './token-rules.ts';
import { candidateKeys, isSignedWith, type VerificationKey } from './verification-key.ts';

export interface JwtSettings extends TokenRules {
  /** Default: where the issuer's OpenID configuration says. */
  readonly keysUrl?: string;
  /** Default: all that are known. */
  readonly algorithms?: readonly TokenAlgorithm[];
  /** Header that holds nothing but the token. Default: `Authorization: Bearer`. */
  readonly header?: string;
  /** The claim that names the consumer. Default: `sub`. */
  readonly consumerClaim?: string;
  /** Claims that the function is told, each in a header. */
  readonly forward?: readonly ForwardedClaim[];
}

export interface ForwardedClaim {
  readonly claim: string;
  readonly header: string;
}

const malformed: AuthOutcome = {
  kind: 'wrong',
  error: 'invalid_token',
  message: 'The token is not one that is taken here',
};

const unsigned: AuthOutcome = {
  kind: 'wrong',
  error: 'invalid_token',
  message: 'The token is not signed with a key of its issuer',
};

/** JSON Web Tokens of one issuer (RFC 7519), as bearers have them (RFC 6750). */
export class BearerTokens implements Authenticator {
  readonly challenge = 'Bearer realm="api"';
  readonly credentialFields: readonly string[];
  readonly identityFields: readonly string[];
  readonly #settings: JwtSettings;
  readonly #keys: IssuerKeys;
  /** With which key a token was signed: that never changes, unlike what its claims mean. */
  readonly #signedWith = new RememberedCredentials<VerificationKey>();

  constructor(settings: JwtSettings, keys: IssuerKeys) {
    this.#settings = settings;
    this.#keys = keys;
    this.credentialFields = [settings.header?.toLowerCase() ?? 'authorization'];
    this.identityFields = (settings.forward ?? []).map(({ header }) => header.toLowerCase());
  }

  authenticate({ head }: PolicyRequest, now: Now): AuthOutcome | Promise<AuthOutcome> {
    const { header, algorithms } = this.#settings;
    const values = fieldValues(head.fields, header?.toLowerCase() ?? 'authorization');
    const [value] = values;
    const isBearer = header !== undefined || /^bearer(?: |$)/i.test(value ?? '');
    if (value === undefined || !isBearer) return { kind: 'absent' };
    const text = header === undefined ? value.slice(7).trimStart() : value;
    const token = parseJsonWebToken(text);
    if (token === undefined || values.length > 1) return malformed;
    if (algorithms?.includes(token.algorithm) === false) return malformed;
    // Before keys are asked for: they are those of this issuer.
    if (token.claims.iss !== this.#settings.issuer) return malformed;
    const keys = this.#keys.find((all) => candidateKeys(token, all));
    return keys instanceof Promise
      ? keys.then((late) => this.#verify({ token, text }, late, now))
      : this.#verify({ token, text }, keys, now);
  }

  #verify(
    { token, text }: { readonly token: JsonWebToken; readonly text: string },
    keys: readonly VerificationKey[] | undefined,
    { wallMs }: Now,
  ): AuthOutcome {
    const settings = this.#settings;
    if (keys === undefined) {
      return { kind: 'unavailable', message: 'The keys of the issuer cannot be fetched' };
    }
    const { finding, remember } = this.#signedWith.look(text);
    // A key that the issuer has withdrawn is not among these any more.
    if (finding === undefined || !keys.includes(finding)) {
      const signing = keys.find((key) => isSignedWith(token, key));
      if (signing === undefined) return unsigned;
      remember(signing);
    }
    const { claims } = token;
    const mistake = decideClaims(claims, settings, wallMs);
    if (mistake !== undefined) return mistake;
    const consumer = claimValues(claims, settings.consumerClaim ?? 'sub')[0] ?? '';
    const fields = (settings.forward ?? []).flatMap(({ claim, header }) => {
      const values = claimValues(claims, claim).map(encodeItem);
      return values.length === 0 ? [] : [[header, values.join(',')] as const];
    });
    return { kind: 'verified', identity: { method: 'jwt', consumer, claims, fields } };
  }
}

// A comma within an item is not to look like two items.
function encodeItem(text: string): string {
  return encodeFieldValue(text).replaceAll(',', '%2C');
}
