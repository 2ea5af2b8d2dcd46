import type { JsonObject } from '@fnlet/base';

/** Signs tokens, for whoever may have one. */
export interface TokenIssuer {
  /** The token that makes these claims. */
  issue(claims: JsonObject): Promise<string>;
  /** What others verify tokens with, as JSON Web Keys. */
  publicKeys(): Promise<readonly JsonObject[]>;
}
