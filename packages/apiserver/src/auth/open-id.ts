import { type ApiRequest, type ApiResponse, jsonResponse } from '../request/api-request.ts';
import { tokenIssuer } from './issuer.ts';
import type { TokenIssuer } from './token-issuer.ts';

const keysPath = '/openid/v1/jwks';

/** The documents with which others verify tokens (KEP-1393). */
export const openIdPaths: readonly string[] = ['/.well-known/openid-configuration', keysPath];

/** Answers a request for one of {@link openIdPaths}. */
export async function handleOpenId(
  issuer: TokenIssuer,
  path: string,
  request: ApiRequest,
): Promise<ApiResponse> {
  const keys = await issuer.publicKeys();
  if (path === keysPath) {
    return jsonResponse(200, { keys }, { 'content-type': 'application/jwk-set+json' });
  }
  const { host = new URL(tokenIssuer).host } = request.headers;
  return jsonResponse(200, {
    issuer: tokenIssuer,
    // Where this client found the server, it finds the keys.
    jwks_uri: `https://${host}${keysPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: keys.map(({ alg }) => alg),
  });
}
