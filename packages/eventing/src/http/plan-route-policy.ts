import type {
  AuthMethod,
  HttpSource,
  JwtAuth,
  RouteCompression,
  RouteCors,
  RouteRateLimit,
} from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import {
  type AuthMethodSettings,
  parseKeyHashes,
  parsePasswordFile,
  type RoutePolicySettings,
} from '@fnlet/gateway/policies';
import { policySecrets } from './policy-secrets.ts';

/** The values of a Secret, decoded. */
export type SecretValues = Readonly<Record<string, string>>;

/** What a source demands of requests, and what about that is not as its author thinks. */
export type RoutePolicyPlan =
  | {
      readonly kind: 'whole';
      readonly settings: RoutePolicySettings;
      /** Parts of Secrets that are of no use. */
      readonly remarks: readonly string[];
    }
  /** It cannot be told yet whom to let through. */
  | { readonly kind: 'incomplete'; readonly message: string };

/** @param secrets those of {@link policySecrets} that exist */
export function planRoutePolicy(
  source: HttpSource,
  secrets: ReadonlyMap<string, SecretValues>,
): RoutePolicyPlan {
  const { addresses = {}, limits = {}, auth, cors, compression } = source;
  const remarks: string[] = [];
  const missing = [...policySecrets(source)].find((name) => !secrets.has(name));
  if (missing !== undefined) {
    const remedy = 'create it; until then callers are told 503';
    return { kind: 'incomplete', message: `Secret "${missing}" does not exist: ${remedy}` };
  }
  const methods = (auth?.anyOf ?? []).map((method) => planMethod(method, secrets, remarks));
  const settings: RoutePolicySettings = {
    ...addresses,
    ...(limits.header === undefined ? {} : { headerBytesMax: readBytes(limits.header) }),
    ...(limits.body === undefined ? {} : { bodyBytesMax: readBytes(limits.body) }),
    ...(cors === undefined ? {} : { cors: planCors(cors) }),
    ...(compression === undefined ? {} : { compression: planCompression(compression) }),
    rateLimits: (limits.rates ?? []).map(planRate),
    ...(auth === undefined
      ? {}
      : {
          auth: {
            methods,
            anonymous: auth.anonymous ?? false,
            forwardCredentials: auth.forwardCredentials ?? false,
          },
        }),
  };
  return { kind: 'whole', settings, remarks };
}

function planMethod(
  { apiKey, basic, jwt }: AuthMethod,
  secrets: ReadonlyMap<string, SecretValues>,
  remarks: string[],
): AuthMethodSettings {
  if (apiKey !== undefined) {
    const { secret, header = 'X-Api-Key', query } = apiKey;
    const consumers = readConsumers(secret, secrets.get(secret) ?? {}, remarks);
    return { kind: 'apiKey', header, consumers, ...(query === undefined ? {} : { query }) };
  }
  if (basic !== undefined) {
    const { secret, realm = 'Fnlet' } = basic;
    return { kind: 'basic', realm, users: readUsers(secret, secrets.get(secret) ?? {}, remarks) };
  }
  return planJwt(jwt ?? { issuer: '', audiences: [] });
}

function readConsumers(
  name: string,
  values: SecretValues,
  remarks: string[],
): ReadonlyMap<string, readonly string[]> {
  const consumers = new Map<string, readonly string[]>();
  for (const [consumer, text] of Object.entries(values)) {
    const hashes = parseKeyHashes(text);
    if (hashes !== undefined) consumers.set(consumer, hashes);
    else remarks.push(`"${consumer}" in Secret "${name}" holds no sha256:<64 hex digits>`);
  }
  if (consumers.size === 0) remarks.push(`Secret "${name}" holds no API keys: nobody has one`);
  return consumers;
}

function readUsers(
  name: string,
  { auth = '' }: SecretValues,
  remarks: string[],
): ReadonlyMap<string, string> {
  const { users, unusable } = parsePasswordFile(auth);
  if (unusable.length > 0) {
    const who = unusable.map((user) => `"${user}"`).join(', ');
    const forms = 'write their passwords with htpasswd -B -C 10 or openssl passwd -6';
    remarks.push(`${who} in Secret "${name}" cannot log in, for the form of the hash: ${forms}`);
  }
  if (users.size === 0) remarks.push(`Secret "${name}" holds no users under "auth"`);
  return users;
}

function planJwt({ leeway = '30s', ...jwt }: JwtAuth): AuthMethodSettings {
  return { kind: 'jwt', ...jwt, leewayMs: parseDuration(leeway) };
}

function planCors({ maxAge, ...cors }: RouteCors): NonNullable<RoutePolicySettings['cors']> {
  if (maxAge === undefined) return cors;
  return { ...cors, maxAgeSeconds: Math.floor(parseDuration(maxAge) / 1000) };
}

function planCompression({
  types,
  minimum,
}: RouteCompression): NonNullable<RoutePolicySettings['compression']> {
  return {
    ...(types === undefined ? {} : { types }),
    ...(minimum === undefined ? {} : { bytesMin: readBytes(minimum) }),
  };
}

function planRate(rate: RouteRateLimit): NonNullable<RoutePolicySettings['rateLimits']>[number] {
  const { name, requests, period, burst = requests, per = 'client', key = '' } = rate;
  const kind = per === 'header' || per === 'claim' ? { kind: per, name: key } : { kind: per };
  return { name, requests, burst, periodMs: parseDuration(period), per: kind };
}

const units: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1_048_576 };

function readBytes(text: string | number): number {
  const [, digits = '0', unit = ''] = /^(\d+)(Ki|Mi)?$/.exec(String(text)) ?? [];
  return Number(digits) * (units[unit] ?? 1);
}
