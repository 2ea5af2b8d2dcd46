import type { User } from '../request/api-request.ts';

/** Whom a bearer token stands for, or why for nobody. */
export type TokenIdentification =
  | {
      readonly user: User;
      /** Those of the asked audiences that the token is for. */
      readonly audiences: readonly string[];
    }
  | { readonly problem: string };

/** Looks a bearer token up. Default audiences: those of this API. */
export type IdentifyToken = (token: string, audiences?: readonly string[]) => TokenIdentification;

/** Whether the token stands for somebody. */
export function isIdentified(
  found: TokenIdentification,
): found is Extract<TokenIdentification, { readonly user: User }> {
  return 'user' in found;
}
