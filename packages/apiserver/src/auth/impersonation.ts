import { badRequest } from '../answer/status-texts.ts';
import type { ApiRequest, User } from '../request/api-request.ts';
import type { Access } from './access.ts';
import type { ResourceAttributes } from './access-attributes.ts';
import { serviceAccountUser } from './policy.ts';
import { requireAccess } from './require-access.ts';

/** Whom a request wants to act as, and what the asker must be allowed for it. */
export interface Impersonation {
  readonly user: User;
  readonly required: readonly ResourceAttributes[];
}

const extraPrefix = 'impersonate-extra-';

/**
 * What the impersonation headers of a request ask for; `undefined` when there are none
 * (apiserver, filters/impersonation).
 *
 * @throws StatusError `BadRequest` when they name no user
 */
export function planImpersonation(
  headers: ApiRequest['headers'],
  asker: User,
): Impersonation | undefined {
  const name = headers['impersonate-user'] ?? '';
  const uid = valuesOf(headers, 'impersonate-uid')[0] ?? '';
  const groups = valuesOf(headers, 'impersonate-group');
  const extra = extraOf(headers);
  if (name === '') {
    if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
    throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
  }
  const account = parseServiceAccount(name);
  const user: User = {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: withSystemGroups(name, groups.length === 0 ? accountGroups(account) : groups),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  const acting = (resource: string, named: string, rest = {}): ResourceAttributes => ({
    ...{ kind: 'resource', user: asker, verb: 'impersonate', group: '', version: 'v1' },
    ...{ resource, subresource: '', namespace: '', name: named, ...rest },
  });
  const authentication = { group: 'authentication.k8s.io' };
  return {
    user,
    required: [
      account === undefined
        ? acting('users', name)
        : acting('serviceaccounts', account.name, { namespace: account.namespace }),
      ...groups.map((group) => acting('groups', group)),
      ...Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => acting('userextras', value, { ...authentication, subresource: key })),
      ),
      ...(uid === '' ? [] : [acting('uids', uid, authentication)]),
    ],
  };
}

/**
 * The user that the request acts as: the asker, unless its headers name another.
 *
 * @throws StatusError `Forbidden` when the asker may not act as that user
 */
export async function impersonate(
  headers: ApiRequest['headers'],
  asker: User,
  access: Access,
): Promise<User> {
  const plan = planImpersonation(headers, asker);
  if (plan === undefined) return asker;
  await requireAccess(access, plan.required);
  return plan.user;
}

// A user as Go's %#v shows it, which is what kube-apiserver says.
function goUser(
  uid: string,
  groups: readonly string[],
  extra: Readonly<Record<string, readonly string[]>>,
): string {
  const texts = (values: readonly string[]): string =>
    values.map((one) => JSON.stringify(one)).join(', ');
  const list = groups.length === 0 ? '[]string(nil)' : `[]string{${texts(groups)}}`;
  const entries = Object.entries(extra).map(
    ([key, values]) => `${JSON.stringify(key)}:[]string{${texts(values)}}`,
  );
  const map = entries.length === 0 ? '(nil)' : `{${entries.sort().join(', ')}}`;
  const name = `Name:"", UID:${JSON.stringify(uid)}`;
  return `&user.DefaultInfo{${name}, Groups:${list}, Extra:map[string][]string${map}}`;
}

function valuesOf(headers: ApiRequest['headers'], name: string): readonly string[] {
  return (headers[name] ?? '').split('\n').filter((value) => value !== '');
}

function extraOf(headers: ApiRequest['headers']): Record<string, readonly string[]> {
  const names = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return Object.fromEntries(
    names.map((name) => [decodeKey(name.slice(extraPrefix.length)), valuesOf(headers, name)]),
  );
}

// Keys may have characters that no header name can have.
function decodeKey(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text;
  }
}

interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

function parseServiceAccount(user: string): AccountName | undefined {
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  const [, namespace = '', name = ''] = match ?? [];
  return serviceAccountUser(namespace, name) === user ? { namespace, name } : undefined;
}

function accountGroups(account: AccountName | undefined): readonly string[] {
  return account === undefined ? [] : serviceAccountGroups(account.namespace);
}

/** The groups of every ServiceAccount of a namespace, besides `system:authenticated`. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

function withSystemGroups(name: string, groups: readonly string[]): readonly string[] {
  const [authenticated, unauthenticated] = ['system:authenticated', 'system:unauthenticated'];
  if (name === 'system:anonymous') {
    return groups.includes(unauthenticated) ? groups : [...groups, unauthenticated];
  }
  const isStated = groups.includes(authenticated) || groups.includes(unauthenticated);
  return isStated ? groups : [...groups, authenticated];
}
