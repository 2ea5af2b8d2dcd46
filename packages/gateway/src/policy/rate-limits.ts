import { clientBlock } from './address-ranges.ts';
import { type Field, fieldValues } from './field-changes.ts';
import type { Identity } from './identity.ts';
import { claimValues } from './jwt/token-rules.ts';
import { policyLimits } from './policy-limits.ts';
import type { RateDecision, RateLimiter, RateRule } from './rate-limiter.ts';
import { refuse, wholeSeconds } from './refusals.ts';
import type { PolicyRequest, Refusal } from './route-policy.ts';

/** A rate limit of a route, and whom it counts. */
export interface RateLimit {
  /** Letters, digits and dashes. */
  readonly name: string;
  readonly limiter: RateLimiter;
  readonly per: RateKey;
}

/** What requests have in common that are counted together. Who has none of it counts by address. */
export type RateKey =
  | { readonly kind: 'route' }
  | { readonly kind: 'client' }
  | { readonly kind: 'consumer' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'claim'; readonly name: string };

/** Whether it has to be known first who a request is from. */
export function countsIdentity({ per }: RateLimit): boolean {
  return per.kind === 'consumer' || per.kind === 'claim';
}

/** What rate limits make of a request, and what its client is told about them. */
export interface RateVerdict {
  readonly fields: readonly Field[];
  readonly refusal: Refusal | undefined;
}

/** Counts a request for all these limits, unless it is one too many for any of them. */
export function countRequest(
  limits: readonly RateLimit[],
  subject: { readonly request: PolicyRequest; readonly identity: Identity | undefined },
  nowMs: number,
): RateVerdict {
  if (limits.length === 0) return { fields: [], refusal: undefined };
  const counts = limits.map(({ name, limiter, per }) => {
    const key = rateKey(per, subject);
    return { name, limiter, key, decision: limiter.look(key, nowMs) };
  });
  const exceeded = counts.filter(({ decision }) => !decision.admitted);
  if (exceeded.length === 0) {
    for (const { limiter, key } of counts) limiter.take(key, nowMs);
    return { fields: rateLimitFields(counts), refusal: undefined };
  }
  const retryAfterMs = Math.max(...exceeded.map(({ decision }) => decision.nextInMs));
  const message = `Too many requests: the limit "${exceeded[0]?.name}" is reached`;
  const refusal = refuse({ status: 429, code: 'TooManyRequests', message, retryAfterMs });
  return { fields: rateLimitFields(counts), refusal };
}

function rateKey(
  per: RateKey,
  {
    request,
    identity,
  }: { readonly request: PolicyRequest; readonly identity: Identity | undefined },
): string {
  const chosen = chosenKey(per, request, identity);
  if (chosen === undefined || chosen === '') return `client ${clientBlock(request.clientAddress)}`;
  const { rateKeyCharactersMax } = policyLimits;
  return `${per.kind} ${chosen.length > rateKeyCharactersMax ? 'long' : chosen}`;
}

function chosenKey(
  per: RateKey,
  { head }: PolicyRequest,
  identity: Identity | undefined,
): string | undefined {
  switch (per.kind) {
    case 'route':
      return 'all';
    case 'client':
      return undefined;
    case 'consumer':
      return identity?.consumer;
    case 'header':
      return fieldValues(head.fields, per.name.toLowerCase()).join();
    default:
      return claimValues(identity?.claims ?? {}, per.name).join();
  }
}

/** What clients are told about their limits (draft-ietf-httpapi-ratelimit-headers, 10). */
function rateLimitFields(
  counts: readonly {
    readonly name: string;
    readonly limiter: { readonly rule: RateRule };
    readonly decision: RateDecision;
  }[],
): readonly Field[] {
  const policies = counts.map(({ name, limiter: { rule } }) => {
    const { requests, periodMs, burst } = rule;
    return `"${name}";q=${burst};w=${wholeSeconds((burst * periodMs) / requests)}`;
  });
  const states = counts.map(({ name, decision: { remaining, nextInMs } }) => {
    return `"${name}";r=${remaining};t=${wholeSeconds(nextInMs)}`;
  });
  return [
    ['RateLimit-Policy', policies.join(', ')],
    ['RateLimit', states.join(', ')],
  ];
}
