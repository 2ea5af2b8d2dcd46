import type { KubeObject } from '@fnlet/machinery';
import { type Operator, type PolicyRule, requiredRules } from '@fnlet/sdk/operator';

const rbac = { group: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };

/**
 * The account that operators run as, with what they need to be allowed and no more: in the whole
 * cluster, or where all of them keep to certain namespaces, in those.
 */
export function planOperatorAccount(
  operators: readonly Operator[],
  account: { readonly name: string; readonly namespace: string },
): KubeObject[] {
  const { name, namespace } = account;
  const rules = requiredRules(operators);
  const everywhere = operators.some((each) => each.namespaces === undefined);
  const namespaces = new Set(operators.flatMap((each) => each.namespaces ?? []));
  const places = everywhere ? [undefined] : [...namespaces];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...places.flatMap((place) => grantIn(place, account, rules)),
    ...grantLeases(account),
  ];
}

function grantIn(
  place: string | undefined,
  account: { readonly name: string; readonly namespace: string },
  rules: readonly PolicyRule[],
): KubeObject[] {
  const prefix = place === undefined ? 'Cluster' : '';
  const metadata = {
    name: account.name,
    ...(place === undefined ? {} : { namespace: place }),
  };
  const { apiVersion, group: apiGroup } = rbac;
  return [
    { apiVersion, kind: `${prefix}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup, kind: `${prefix}Role`, name: account.name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ];
}

// Several replicas find out who leads by Leases in the namespace that they run in.
function grantLeases(account: { readonly name: string; readonly namespace: string }): KubeObject[] {
  const rules: PolicyRule[] = [
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
    },
  ];
  const leases = grantIn(account.namespace, account, rules);
  return leases.map((object) => ({
    ...object,
    metadata: { ...object.metadata, name: `${account.name}-leases` },
    ...('roleRef' in object
      ? { roleRef: { apiGroup: rbac.group, kind: 'Role', name: `${account.name}-leases` } }
      : {}),
  }));
}
