import { hash, timingSafeEqual } from 'node:crypto';
import { statusError } from '@fnlet/machinery';
import type { ApiRequest, User } from '../request/api-request.ts';
import { superuserGroup } from './decide-access.ts';
import { type IdentifyToken, isIdentified, type TokenIdentification } from './identify-token.ts';
import { tokenIssuer } from './issuer.ts';

/** A bearer token and whom it stands for. */
export interface TokenIdentity {
  readonly token: string;
  readonly user: User;
}

/** The owner of the embedded API; may do everything. */
export const adminUser: User = {
  name: 'kubernetes-admin',
  groups: [superuserGroup, 'system:authenticated'],
};

/**
 * Who shows as Pods what runs already, such as Instances: quotas count them, and refuse none of
 * them, since that would end nothing.
 */
export const mirrorUser: User = { name: 'fnlet:pod-mirror', groups: adminUser.groups };

/** Whom tokens for this API are meant for. */
const apiAudiences = [tokenIssuer];

const anonymousUser: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Who sent the request: the caller in this process, the owner of the bearer token, or nobody.
 *
 * @throws StatusError `Unauthorized` for a token that stands for nobody
 */
export function authenticate(request: ApiRequest, identify: IdentifyToken): User {
  if (request.user !== undefined) return request.user;
  const header = request.headers.authorization;
  if (header === undefined) return anonymousUser;
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  const found = identify(token);
  if (!isIdentified(found)) throw statusError('Unauthorized', 'Unauthorized');
  return found.user;
}

/** Looks tokens up: among those that were given once and for all, then among the others. */
export function createTokenLookup(
  identities: readonly TokenIdentity[],
  others: { identify(token: string, audiences: readonly string[]): TokenIdentification },
): IdentifyToken {
  const known = identities.map(({ token, user }) => ({ digest: digestOf(token), user }));
  return (token, asked = apiAudiences) => {
    const digest = digestOf(token);
    let found: User | undefined;
    // All are compared, so that the time tells nothing about which one was close.
    for (const identity of known)
      if (timingSafeEqual(identity.digest, digest)) found = identity.user;
    if (found === undefined || token === '') return others.identify(token, asked);
    return meantFor(found, apiAudiences, asked);
  };
}

/** The identification, where the token is meant for one of the asked audiences. */
export function meantFor(
  user: User,
  audiences: readonly string[],
  asked: readonly string[],
): TokenIdentification {
  const common = asked.filter((audience) => audiences.includes(audience));
  if (common.length > 0) return { user, audiences: common };
  return { problem: 'invalid bearer token' };
}

// Digests have equal length, which timingSafeEqual needs, whatever the client sent.
function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
