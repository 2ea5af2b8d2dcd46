/** The door to what routes demand of requests; a module of its own, loaded by the first that does. */
export { parseKeyHashes } from './policy/api-keys.ts';
export { createJsonFetcher } from './policy/jwt/json-fetcher.ts';
export { parsePasswordFile } from './policy/password-file.ts';
export {
  type AuthMethodSettings,
  RoutePolicies,
  type RoutePoliciesOptions,
  type RoutePolicySettings,
} from './policy/route-policies.ts';
