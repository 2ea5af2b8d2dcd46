import assert from 'node:assert/strict';
import type { User } from '../src/index.ts';
import { at, textAt } from './at.ts';
import type { Answer, OpenedServer } from './opened-server.ts';

// Who may do what, as the tests about access set it up and ask about it.

export const rbac = '/apis/rbac.authorization.k8s.io/v1';
export const pods = '/api/v1/namespaces/default/pods';
export const administrator: User = { name: 'root', groups: ['system:masters'] };
export const jane: User = { name: 'jane', groups: ['system:authenticated'] };

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

export const podReader: Rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

export const named = (name: string, rest: object): object => ({ metadata: { name }, ...rest });

/** Makes a role of these rules, and gives it to the user; without a namespace, everywhere. */
export async function grant(
  server: OpenedServer,
  to: { readonly user: string; readonly namespace?: string },
  rules: readonly Rule[],
): Promise<void> {
  const { user, namespace = '' } = to;
  const scope = namespace === '' ? rbac : `${rbac}/namespaces/${namespace}`;
  const [roles, bindings] =
    namespace === '' ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings'];
  const kind = namespace === '' ? 'ClusterRole' : 'Role';
  await created(server.ask('POST', `${scope}/${roles}`, { body: named(`for-${user}`, { rules }) }));
  const roleRef = { kind, name: `for-${user}` };
  const body = named(`for-${user}`, { roleRef, subjects: [{ kind: 'User', name: user }] });
  await created(server.ask('POST', `${scope}/${bindings}`, { body }));
}

/** The answer, which must be that of something made. */
export async function created(answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  assert.equal(found.status, 201, JSON.stringify(found.body));
  return found;
}

/** The answer must be a refusal that says so. */
export async function refused(answer: Promise<Answer>, message: string | RegExp): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 403, JSON.stringify(body));
  if (typeof message === 'string') assert.equal(at(body, '/message'), message);
  else assert.match(textAt(body, '/message'), message);
}

/** Asks for a review of access. */
export async function review(
  server: OpenedServer,
  kind: string,
  asked: { readonly spec: object; readonly user?: User },
): Promise<Answer> {
  const path = `/apis/authorization.k8s.io/v1/${kind}`;
  const { user = administrator, spec } = asked;
  return server.ask('POST', path, { body: { spec }, user });
}
