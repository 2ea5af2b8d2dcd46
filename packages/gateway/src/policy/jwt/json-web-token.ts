import { isJsonObject, type JsonObject } from '@fnlet/base';
import { policyLimits } from '../policy-limits.ts';

/** Algorithms that tokens may be signed with: all have a public key, so that none can be confused. */
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

export const tokenAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** A token in compact form (RFC 7519, RFC 7515); nothing of it is proved. */
export interface JsonWebToken {
  readonly algorithm: TokenAlgorithm;
  readonly keyId: string | undefined;
  readonly claims: JsonObject;
  /** What is signed, as ASCII. */
  readonly signedText: string;
  readonly signature: Buffer;
}

/** Reads a token; `undefined` for anything that is none, or that must not be accepted. */
export function parseJsonWebToken(text: string): JsonWebToken | undefined {
  if (text.length > policyLimits.tokenCharactersMax) return undefined;
  const parts = text.split('.');
  const [head = '', body = '', signed = ''] = parts;
  if (parts.length !== 3) return undefined;
  const header = parseObject(head);
  const claims = parseObject(body);
  const signature = decode(signed);
  if (header === undefined || claims === undefined || signature === undefined) return undefined;
  const { alg, kid, crit } = header;
  // RFC 7515 §4.1.11: an extension that is said to be critical, and is not understood.
  if (crit !== undefined || !isTokenAlgorithm(alg) || signature.length === 0) return undefined;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  return { algorithm: alg, keyId: kid, claims, signedText: `${head}.${body}`, signature };
}

/** Whether a value names an algorithm; `none` and HS256 are none. */
export function isTokenAlgorithm(value: unknown): value is TokenAlgorithm {
  return typeof value === 'string' && tokenAlgorithms.some((algorithm) => algorithm === value);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(decode(text)));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Strict: one text for each value, so that nothing can hide in what decoders overlook. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
