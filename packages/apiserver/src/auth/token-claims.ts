import { isJsonObject, type JsonObject } from '@fnlet/base';
import { objectField, textField } from '../object/object-form.ts';
import { tokenIssuer } from './issuer.ts';
import { serviceAccountUser } from './policy.ts';

/** An object that a token names, and must be there for it to count. */
export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

/** What a token of a ServiceAccount says (KEP-1205). Times are in seconds since the epoch. */
export interface TokenClaims {
  /** Identifies the token; empty for tokens in Secrets. */
  readonly id: string;
  readonly namespace: string;
  readonly account: ObjectClaim;
  /** The objects that the token goes with. */
  readonly pod?: ObjectClaim | undefined;
  readonly secret?: ObjectClaim | undefined;
  readonly node?: ObjectClaim | undefined;
  /** Whom it is for; `undefined` for this API. */
  readonly audiences: readonly string[] | undefined;
  readonly notBefore: number;
  readonly expiresAt: number;
}

const legacyIssuer = 'kubernetes/serviceaccount';
const legacy = (name: string): string => `kubernetes.io/serviceaccount/${name}`;

/** The claims as they stand in the token. */
export function formatClaims(claims: TokenClaims): JsonObject {
  const { id, namespace, account, pod, secret, node, audiences, notBefore, expiresAt } = claims;
  return {
    aud: audiences,
    exp: expiresAt,
    iat: notBefore,
    iss: tokenIssuer,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(node === undefined ? {} : { node }),
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      serviceaccount: account,
    },
    nbf: notBefore,
    sub: serviceAccountUser(namespace, account.name),
  };
}

/** The claims of a token in a Secret: it counts as long as the Secret holds it. */
export function formatLegacyClaims(claims: {
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly secret: string;
}): JsonObject {
  const { namespace, account, secret } = claims;
  return {
    iss: legacyIssuer,
    [legacy('namespace')]: namespace,
    [legacy('secret.name')]: secret,
    [legacy('service-account.name')]: account.name,
    [legacy('service-account.uid')]: account.uid,
    sub: serviceAccountUser(namespace, account.name),
  };
}

/** What verified claims say; `undefined` when they are not those of a ServiceAccount's token. */
export function parseClaims(value: JsonObject): TokenClaims | undefined {
  if (value.iss === legacyIssuer) return parseLegacy(value);
  const own = objectField(value, 'kubernetes.io');
  const account = parseObject(own.serviceaccount);
  const namespace = textField(own, 'namespace');
  const { aud, exp, nbf } = value;
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((item) => typeof item === 'string');
  if (value.iss !== tokenIssuer || account === undefined || namespace === '') return undefined;
  if (typeof exp !== 'number' || typeof nbf !== 'number') return undefined;
  return {
    id: textField(value, 'jti'),
    namespace,
    account,
    pod: parseObject(own.pod),
    secret: parseObject(own.secret),
    node: parseObject(own.node),
    audiences,
    notBefore: nbf,
    expiresAt: exp,
  };
}

function parseObject(value: unknown): ObjectClaim | undefined {
  if (!isJsonObject(value)) return undefined;
  return { name: textField(value, 'name'), uid: textField(value, 'uid') };
}

function parseLegacy(value: JsonObject): TokenClaims | undefined {
  const text = (name: string): string => textField(value, legacy(name));
  const account = { name: text('service-account.name'), uid: text('service-account.uid') };
  const namespace = text('namespace');
  const secret = text('secret.name');
  if (namespace === '' || account.name === '' || secret === '') return undefined;
  return {
    id: '',
    namespace,
    account,
    secret: { name: secret, uid: '' },
    audiences: undefined,
    notBefore: 0,
    expiresAt: Number.POSITIVE_INFINITY,
  };
}
