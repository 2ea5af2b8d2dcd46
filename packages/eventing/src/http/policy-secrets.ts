import type { HttpSource } from '@fnlet/api';

/** Names of the Secrets that say whom a source lets through. */
export function policySecrets({ auth }: HttpSource): ReadonlySet<string> {
  const named = (auth?.anyOf ?? []).flatMap(({ apiKey, basic }) => [apiKey?.secret, basic?.secret]);
  return new Set(named.filter((name) => name !== undefined));
}

/** Whether a source demands anything of requests. */
export function hasPolicy({ addresses, limits, auth, cors, compression }: HttpSource): boolean {
  return [addresses, limits, auth, cors, compression].some((part) => part !== undefined);
}
