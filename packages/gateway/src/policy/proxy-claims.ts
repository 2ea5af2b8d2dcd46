import type { CallerOrigin } from '../fronts/wire.ts';
import type { RequestHead } from '../http1/request-head.ts';
import { believedChain, isTrustedProxy, type TrustedProxies } from './client-address.ts';

/**
 * A request without what its client cannot know about itself: X-Forwarded-For, -Host and -Proto,
 * Forwarded, X-Real-IP and their like are believed of trusted proxies and of those inside only. Of
 * the chain in X-Forwarded-For, no more is left than trusted proxies wrote: Runners and frameworks
 * take its first address for the client's.
 */
export function withBelievedClaims(
  head: RequestHead,
  origin: CallerOrigin,
  trusted: TrustedProxies,
): RequestHead {
  const { known, claims = '' } = head.fields;
  if (claims === '' && !told.some((name) => known.has(name))) return head;
  if (origin.inside) return withClaims(head);
  const { remoteAddress } = origin;
  const forwardedFor = known.get('x-forwarded-for');
  const believed = new Map(known);
  if (!isTrustedProxy(remoteAddress, trusted)) {
    for (const name of told) believed.delete(name);
    return { ...head, fields: { kept: head.fields.kept, known: believed } };
  }
  const chain = believedChain(remoteAddress, forwardedFor, trusted);
  if (chain.length > 0) believed.set('x-forwarded-for', chain.join(', '));
  else believed.delete('x-forwarded-for');
  const fields = { kept: head.fields.kept, known: believed, claims };
  return withClaims({ ...head, fields });
}

const told = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;

/** A request all of whose claims go on to its function. */
export function withClaims(head: RequestHead): RequestHead {
  const { kept, known, claims = '' } = head.fields;
  return claims === '' ? head : { ...head, fields: { kept: kept + claims, known } };
}
