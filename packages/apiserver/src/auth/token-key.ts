import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { errorMessage, type JsonObject } from '@fnlet/base';
import { ApiServerError } from '../api-server-error.ts';

/** The key that tokens of ServiceAccounts are signed with. */
export interface TokenKey {
  /** Tells keys apart (`kid`): the digest of the public key. */
  readonly id: string;
  readonly algorithm: 'ES256' | 'RS256';
  /** The public key as a JSON Web Key (RFC 7517). */
  readonly publicJwk: JsonObject;
  sign(text: string): Uint8Array;
  verify(text: string, signature: Uint8Array): boolean;
}

/** A new private key, in PEM. */
export function generateTokenKey(): string {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return privateKey;
}

/**
 * The key in a PEM: RSA, or the curve P-256.
 *
 * @throws ApiServerError `BrokenTokenKey`
 */
export function parseTokenKey(pem: string): TokenKey {
  try {
    const privateKey = createPrivateKey(pem);
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = privateKey;
    if (type !== 'rsa' && details?.namedCurve !== 'prime256v1') throw new Error(`a ${type} key`);
    const publicKey = createPublicKey(privateKey);
    const algorithm = type === 'rsa' ? 'RS256' : 'ES256';
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const id = createHash('sha256').update(der).digest('base64url');
    // JWS has both numbers of an ECDSA signature side by side, not in DER (RFC 7518, 3.4).
    const dsaEncoding = 'ieee-p1363';
    return {
      id,
      algorithm,
      publicJwk: { use: 'sig', ...publicKey.export({ format: 'jwk' }), kid: id, alg: algorithm },
      sign: (text) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }),
      verify: (text, signature) =>
        verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding }, signature),
    };
  } catch (error) {
    const found = errorMessage(error);
    const message = `Cannot use the token key: found ${found}, expected a private key, RSA or P-256`;
    throw new ApiServerError('BrokenTokenKey', message, { cause: error });
  }
}
