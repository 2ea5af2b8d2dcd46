/** An issuer of tokens with a key of each kind. */
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type TestKey = 'rsa' | 'p256' | 'p384' | 'p521' | 'ed25519';

export const issuerName = 'https://issuer.example';

/** When the tests take place, in seconds since 1970. */
export const nowSeconds = 1_800_000_000;

/** Claims that are let in. */
export const goodClaims: Readonly<Record<string, unknown>> = {
  iss: issuerName,
  aud: 'orders',
  sub: 'ann',
  exp: nowSeconds + 60,
  scope: 'read write',
};

export class Issuer {
  readonly #keys: Readonly<Record<TestKey, KeyPair>> = {
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    ed25519: generateKeyPairSync('ed25519'),
  };

  /** A key as its JWK Set shows it; its identifier is its name. */
  jwk(name: TestKey, extra: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return { ...this.#keys[name].publicKey.export({ format: 'jwk' }), kid: name, ...extra };
  }

  get keySet(): { readonly keys: readonly Record<string, unknown>[] } {
    return { keys: testKeys.map((name) => this.jwk(name)) };
  }

  /** Fetches what the issuer shows. */
  readonly fetchJson = async (url: string): Promise<unknown> => {
    if (url === `${issuerName}/.well-known/openid-configuration`) {
      return { issuer: issuerName, jwks_uri: `${issuerName}/keys` };
    }
    if (url === `${issuerName}/keys`) return this.keySet;
    throw new Error(`Nothing is at ${url}`);
  };

  /** A signed token; `header` replaces members of its header. */
  token(
    key: TestKey,
    alg: string,
    options: { readonly claims?: object; readonly header?: object } = {},
  ): string {
    const { claims = goodClaims, header = {} } = options;
    const text = `${encode({ alg, kid: key, ...header })}.${encode(claims)}`;
    return `${text}.${this.#sign(key, alg, Buffer.from(text)).toString('base64url')}`;
  }

  /** A token whose "secret" is a public key (the classic confusion). */
  confusedToken(): string {
    const text = `${encode({ alg: 'HS256', kid: 'rsa' })}.${encode(goodClaims)}`;
    const secret = this.#keys.rsa.publicKey.export({ format: 'pem', type: 'spki' });
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }

  #sign(name: TestKey, alg: string, data: Buffer): Buffer {
    const key = this.#keys[name].privateKey;
    const hash = `sha${alg.slice(2)}`;
    if (name === 'ed25519') return sign(null, data, key);
    if (name !== 'rsa') return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
    if (!alg.startsWith('PS')) return sign(hash, data, key);
    const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
    return sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  }
}

const testKeys: readonly TestKey[] = ['rsa', 'p256', 'p384', 'p521', 'ed25519'];

export function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
