/**
 * What a route demands of requests, as data that a Gateway in another process makes its policy of.
 *
 * I1. What cannot be told, or cannot be read, lets nobody through.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { PolicyRequest, RoutePolicy, Verdict } from '@fnlet/gateway';
import type { RoutePolicySettings } from '@fnlet/gateway/policies';

/** A policy on its way: what it demands, or that it lets nobody through. */
export type PolicyTerms =
  | { readonly kind: 'demands'; readonly settings: JsonObject }
  | { readonly kind: 'closed' };

/** A policy that Gateways are told of; in this process it lets nobody through. */
export class ToldPolicy implements RoutePolicy {
  readonly terms: PolicyTerms;

  constructor(settings: RoutePolicySettings) {
    this.terms = { kind: 'demands', settings: writeSettings(settings) };
  }

  admit(_request: PolicyRequest): Verdict {
    return refusal;
  }
}

/** How Gateways are told of a policy. */
export function termsOf(policy: RoutePolicy): PolicyTerms {
  return policy instanceof ToldPolicy ? policy.terms : { kind: 'closed' };
}

/** Reads what was told of a policy. */
export function parsePolicyTerms(value: unknown): PolicyTerms {
  const { kind, settings } = isJsonObject(value) ? value : {};
  const isWhole = kind === 'demands' && isJsonObject(settings);
  return isWhole ? { kind, settings } : { kind: 'closed' };
}

/** Lets nobody through, for now. */
export const closedPolicy: RoutePolicy = { admit: () => refusal };

const refusal: Verdict = {
  kind: 'refusal',
  answer: {
    status: 503,
    code: 'PolicyIncomplete',
    message: 'Whom this route lets through is not known yet',
    retryAfterSeconds: 5,
  },
};

/** Member that stands for a Map: settings have names of users in them, which may be any text. */
const entriesMember = '$entries';

function writeSettings(settings: RoutePolicySettings): JsonObject {
  const text = JSON.stringify(settings, (_, value: unknown) =>
    value instanceof Map ? { [entriesMember]: [...value] } : value,
  );
  const written: unknown = JSON.parse(text);
  return isJsonObject(written) ? written : {};
}

/** The settings that were written; both ends are of one release, or of two that follow each other. */
export function readSettings(settings: JsonObject): RoutePolicySettings | undefined {
  const read: unknown = JSON.parse(JSON.stringify(settings), (_, value: unknown) =>
    isJsonObject(value) && Array.isArray(value[entriesMember])
      ? new Map(value[entriesMember].filter(isEntry))
      : value,
  );
  return isSettings(read) ? read : undefined;
}

function isEntry(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

function isSettings(value: unknown): value is RoutePolicySettings {
  if (!isJsonObject(value)) return false;
  const { auth, rateLimits = [] } = value;
  const isAuth = auth === undefined || (isJsonObject(auth) && Array.isArray(auth.methods));
  return isAuth && Array.isArray(rateLimits);
}
