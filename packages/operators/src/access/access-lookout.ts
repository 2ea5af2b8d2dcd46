/**
 * Sees when what accounts may do changes: roles, and who has them. The rules themselves are not
 * kept; whoever is told asks the API.
 */
import type { Cache, CacheEvent } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { Manager } from '@fnlet/reconcile';
import type { Account } from './account.ts';

interface Subject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

interface Binding extends KubeObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
}

/** Whom a change concerns: an account, or everybody whose namespace it is, or all. */
export type Concerned =
  | { readonly kind: 'account'; readonly account: Account }
  | { readonly kind: 'namespace'; readonly namespace: string }
  | { readonly kind: 'all' };

/** The accounts that a subject of a binding stands for. */
export function concernedBy({ kind = '', name = '', namespace = '' }: Subject): Concerned[] {
  if (kind === 'ServiceAccount') return [{ kind: 'account', account: { namespace, name } }];
  const accounts = 'system:serviceaccounts';
  const user = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  if (kind === 'User' && user !== null) {
    const [, home = '', account = ''] = user;
    return [{ kind: 'account', account: { namespace: home, name: account } }];
  }
  if (kind !== 'Group') return [];
  if (name.startsWith(`${accounts}:`)) {
    return [{ kind: 'namespace', namespace: name.slice(accounts.length + 1) }];
  }
  return name === accounts || name === 'system:authenticated' ? [{ kind: 'all' }] : [];
}

/** Whether the change concerns this account. */
export function concerns(concerned: Concerned, account: Account): boolean {
  switch (concerned.kind) {
    case 'all':
      return true;
    case 'namespace':
      return concerned.namespace === account.namespace;
    case 'account':
      return (
        concerned.account.name === account.name && concerned.account.namespace === account.namespace
      );
  }
}

function typeOf(kind: string, plural: string, namespaced: boolean): ResourceType {
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced };
}

/** Begins to look, and tells `onChange`; returns the way to end it. */
export function watchAccess(
  manager: Pick<Manager, 'cache'>,
  onChange: (concerned: readonly Concerned[]) => void,
): () => void {
  const bindings = (kind: string, plural: string, namespaced: boolean): Cache<Binding> =>
    manager.cache<Binding>(typeOf(kind, plural, namespaced), { keep: ['subjects', 'roleRef'] });
  const roles = (kind: string, plural: string, namespaced: boolean): Cache<KubeObject> =>
    manager.cache(typeOf(kind, plural, namespaced), { keep: ['metadata.name'] });
  const all = [
    bindings('RoleBinding', 'rolebindings', true),
    bindings('ClusterRoleBinding', 'clusterrolebindings', false),
  ];
  const bound = (event: CacheEvent<Binding>): void => {
    const forms = event.kind === 'updated' ? [event.old, event.object] : [event.object];
    onChange(forms.flatMap(({ subjects = [] }) => subjects.flatMap(concernedBy)));
  };
  const changed = ({ object }: CacheEvent<KubeObject>): void => {
    const refers = ({ roleRef, metadata }: Binding): boolean => {
      const isThere =
        object.kind === 'ClusterRole' || metadata.namespace === object.metadata.namespace;
      return isThere && roleRef?.kind === object.kind && roleRef.name === object.metadata.name;
    };
    const using = all.flatMap((cache) => cache.list().filter(refers));
    onChange(using.flatMap(({ subjects = [] }) => subjects.flatMap(concernedBy)));
  };
  const stops = [
    ...all.map((cache) => cache.subscribe(bound)),
    roles('Role', 'roles', true).subscribe(changed),
    roles('ClusterRole', 'clusterroles', false).subscribe(changed),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
