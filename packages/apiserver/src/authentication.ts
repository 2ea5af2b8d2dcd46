import { createHash, timingSafeEqual } from 'node:crypto';
import type { StatusError } from '@fnlet/machinery';
import { statusError } from '@fnlet/machinery';
import type { ApiRequest, User } from './api-request.ts';
import type { Route } from './route.ts';
import { notImplemented, qualifiedResource } from './status-texts.ts';

/** A bearer token and whom it stands for. */
export interface TokenIdentity {
  readonly token: string;
  readonly user: User;
}

/** The owner of the embedded API; may do everything. */
export const adminUser: User = {
  name: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

const anonymousUser: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Who sent the request: the caller in this process, the owner of the bearer token, or nobody.
 *
 * @throws StatusError `Unauthorized` for a token that is not known, `NotImplemented` for
 *   impersonation.
 */
export function authenticate(request: ApiRequest, tokens: readonly TokenIdentity[]): User {
  // Acting as the asker where somebody else was meant would give that somebody too much.
  if (Object.keys(request.headers).some((name) => name.startsWith('impersonate-'))) {
    throw notImplemented('this API server does not serve impersonation yet');
  }
  if (request.user !== undefined) return request.user;
  const header = request.headers.authorization;
  if (header === undefined) return anonymousUser;
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '';
  // All tokens are compared, so that the time tells nothing about which one was close.
  let found: User | undefined;
  for (const identity of tokens) if (sameSecret(identity.token, token)) found = identity.user;
  if (found === undefined || token === '') throw statusError('Unauthorized', 'Unauthorized');
  return found;
}

// Digests have equal length, which timingSafeEqual needs, whatever the client sent.
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const openPaths = /^\/(healthz|livez|readyz|version)(\/|$)/;

/**
 * Whether `user` may do this; `undefined` when so. Members of `system:masters` may do everything,
 * everybody may ask for health and version, everyone with a token also for discovery.
 */
export function checkAccess(user: User, verb: string, route: Route): StatusError | undefined {
  if (user.groups.includes('system:masters')) return undefined;
  if (route.kind === 'resource') {
    const what = { group: route.group, plural: route.plural };
    const place =
      route.namespace === '' ? 'at the cluster scope' : `in the namespace "${route.namespace}"`;
    const text = `User "${user.name}" cannot ${verb} resource "${route.plural}" in API group "${route.group}" ${place}`;
    const named = route.name === undefined ? '' : ` "${route.name}"`;
    return statusError('Forbidden', `${qualifiedResource(what)}${named} is forbidden: ${text}`, {
      ...(route.name === undefined ? {} : { name: route.name }),
      ...(route.group === '' ? {} : { group: route.group }),
      kind: route.plural,
    });
  }
  const isOpen = route.kind === 'other' && openPaths.test(route.path);
  if (isOpen || user.groups.includes('system:authenticated')) return undefined;
  const path = route.kind === 'other' ? route.path : discoveryPath(route);
  const text = `forbidden: User "${user.name}" cannot ${verb} path "${path}"`;
  return statusError('Forbidden', text, {});
}

function discoveryPath(route: Exclude<Route, { kind: 'resource' | 'other' }>): string {
  if (route.kind === 'coreVersions') return '/api';
  if (route.kind === 'groups') return '/apis';
  if (route.kind === 'group') return `/apis/${route.group}`;
  return route.group === '' ? `/api/${route.version}` : `/apis/${route.group}/${route.version}`;
}
