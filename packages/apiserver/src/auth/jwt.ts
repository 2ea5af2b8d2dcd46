import { isJsonObject, type JsonObject } from '@fnlet/base';

/** A signed JSON Web Token in compact form, taken apart (RFC 7515, 7519). Nothing is verified. */
export interface Jwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** The text that the signature is over. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** The parts of a token; `undefined` for a text that is none. */
export function parseJwt(token: string): Jwt | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined;
  const [head = '', body = '', seal = ''] = parts;
  const header = decodePart(head);
  const claims = decodePart(body);
  if (header === undefined || claims === undefined) return undefined;
  const signature = Buffer.from(seal, 'base64url');
  // Several texts decode to the same bytes; only one of them is the token.
  if (signature.toString('base64url') !== seal) return undefined;
  return { header, claims, signed: `${head}.${body}`, signature };
}

function decodePart(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The token with this header and these claims. */
export function formatJwt(
  header: JsonObject,
  claims: JsonObject,
  sign: (text: string) => Uint8Array,
): string {
  const encode = (value: JsonObject): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${Buffer.from(sign(signed)).toString('base64url')}`;
}
