import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isJsonObject } from '@fnlet/base';
import { policyLimits } from '../policy-limits.ts';
import type { JsonWebToken, TokenAlgorithm } from './json-web-token.ts';

/** A public key of an issuer. */
export interface VerificationKey {
  readonly keyId: string | undefined;
  /** The only algorithms that it may be used with. */
  readonly algorithms: readonly TokenAlgorithm[];
  readonly key: KeyObject;
}

/** Smaller RSA keys are refused, as RFC 7518 §3.3 demands. */
const rsaBitsMin = 2048;

/**
 * Reads a JWK Set (RFC 7517). Keys that cannot verify tokens (for encryption, symmetric, too weak,
 * of unknown curves) are left out; `undefined` when it is no set at all.
 */
export function parseKeySet(value: unknown): readonly VerificationKey[] | undefined {
  const keys = isJsonObject(value) ? value.keys : undefined;
  if (!Array.isArray(keys)) return undefined;
  return keys.slice(0, policyLimits.issuerKeysMax).flatMap((key: unknown) => {
    const parsed = parseKey(key);
    return parsed === undefined ? [] : [parsed];
  });
}

function parseKey(jwk: unknown): VerificationKey | undefined {
  if (!isJsonObject(jwk)) return undefined;
  const { kid, use, key_ops: operations, alg } = jwk;
  if (use !== undefined && use !== 'sig') return undefined;
  if (Array.isArray(operations) && !operations.includes('verify')) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  const key = importKey(jwk);
  const able = key === undefined ? [] : algorithmsOf(key);
  const algorithms = alg === undefined ? able : able.filter((algorithm) => algorithm === alg);
  if (key === undefined || algorithms.length === 0) return undefined;
  return { keyId: kid, algorithms, key };
}

// Only public members are passed on, so that neither a secret nor a private key is ever one.
function importKey(jwk: Readonly<Record<string, unknown>>): KeyObject | undefined {
  const text = (name: string): string => {
    const value = jwk[name];
    return typeof value === 'string' ? value : '';
  };
  try {
    switch (jwk.kty) {
      case 'RSA':
        return publicKey({ kty: 'RSA', n: text('n'), e: text('e') });
      case 'EC':
        return publicKey({ kty: 'EC', crv: text('crv'), x: text('x'), y: text('y') });
      case 'OKP':
        return publicKey({ kty: 'OKP', crv: text('crv'), x: text('x') });
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

function publicKey(key: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key, format: 'jwk' });
}

const ofCurve: Readonly<Record<string, TokenAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): TokenAlgorithm[] {
  switch (asymmetricKeyType) {
    case 'rsa':
      return (asymmetricKeyDetails?.modulusLength ?? 0) < rsaBitsMin
        ? []
        : ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    case 'ec': {
      const algorithm = ofCurve[asymmetricKeyDetails?.namedCurve ?? ''];
      return algorithm === undefined ? [] : [algorithm];
    }
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    default:
      return [];
  }
}

/** The keys that may have signed a token: that of its key identifier, or, without one, any. */
export function candidateKeys(
  token: Pick<JsonWebToken, 'algorithm' | 'keyId'>,
  keys: readonly VerificationKey[],
): readonly VerificationKey[] {
  return keys.filter(
    ({ keyId, algorithms }) =>
      (token.keyId === undefined || keyId === token.keyId) && algorithms.includes(token.algorithm),
  );
}

/** Whether a token was signed with the private half of `key`. */
export function isSignedWith(token: JsonWebToken, { key, algorithms }: VerificationKey): boolean {
  const { algorithm, signedText, signature } = token;
  if (!algorithms.includes(algorithm)) return false;
  const data = Buffer.from(signedText, 'latin1');
  const hash = `sha${algorithm.slice(2)}`;
  switch (algorithm.slice(0, 2)) {
    case 'RS':
      return verify(hash, data, { key, padding: constants.RSA_PKCS1_PADDING }, signature);
    case 'PS': {
      const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return verify(hash, data, { key, padding, saltLength }, signature);
    }
    case 'ES':
      return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    default:
      return verify(null, data, key, signature);
  }
}
