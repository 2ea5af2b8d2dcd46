import type { KubeObject } from '@fnlet/machinery';
import { type CertificateTarget, OperatorWebhooks } from '@fnlet/reconcile';
import { type Operator, type PolicyRule, requiredRules } from '@fnlet/sdk/operator';

/** As whom operators run. */
interface Account {
  readonly name: string;
  readonly namespace: string;
}

const rbac = { group: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };

/**
 * The account that operators run as, with what they need to be allowed and no more: in the whole
 * cluster, or where all of them keep to certain namespaces, in those.
 */
export function planOperatorAccount(
  operators: readonly Operator[],
  account: Account,
): KubeObject[] {
  const { name, namespace } = account;
  const rules = requiredRules(operators);
  const everywhere = operators.some((each) => each.namespaces === undefined);
  const namespaces = new Set(operators.flatMap((each) => each.namespaces ?? []));
  const places = everywhere ? [undefined] : [...namespaces];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...places.flatMap((place) => grantIn(place, account, { rules, roleName: name })),
    ...grantLeases(account),
    ...grantWebhooks(operators, account),
  ];
}

/** A role with these rules, for the account: in a namespace, or in the whole cluster. */
export function grantIn(
  place: string | undefined,
  account: Account,
  { rules, roleName: name }: { readonly rules: readonly PolicyRule[]; readonly roleName: string },
): KubeObject[] {
  const prefix = place === undefined ? 'Cluster' : '';
  const metadata = { name, ...(place === undefined ? {} : { namespace: place }) };
  const { apiVersion, group: apiGroup } = rbac;
  return [
    { apiVersion, kind: `${prefix}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup, kind: `${prefix}Role`, name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ];
}

// Several replicas find out who leads by Leases in the namespace that they run in.
function grantLeases(account: Account): KubeObject[] {
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }];
  return grantIn(account.namespace, account, { rules, roleName: `${account.name}-leases` });
}

// Webhooks have their certificate in a Secret beside the Leases. The API is told of them, and to
// trust it, in objects of the whole cluster; what is created cannot be limited to a name.
function grantWebhooks(operators: readonly Operator[], account: Account): KubeObject[] {
  const webhooks = new OperatorWebhooks(operators);
  const [first] = operators;
  if (webhooks.isEmpty || first === undefined) return [];
  const endpoint = { service: { ...account, port: 443 } };
  const { targets } = webhooks.register(first.name, endpoint);
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  const resourceNames = [`${first.name}-webhooks`];
  const roleName = `${account.name}-webhooks`;
  return [
    ...grantIn(account.namespace, account, {
      rules: [
        { ...secrets, verbs: ['create'] },
        { ...secrets, resourceNames, verbs: ['get', 'update'] },
      ],
      roleName,
    }),
    ...grantIn(undefined, account, { rules: targets.flatMap(targetRules), roleName }),
  ];
}

function targetRules({ kind, name }: CertificateTarget): PolicyRule[] {
  const isDefinition = kind === 'CustomResourceDefinition';
  const group = isDefinition ? 'apiextensions.k8s.io' : 'admissionregistration.k8s.io';
  const resource = { apiGroups: [group], resources: [`${kind.toLowerCase()}s`] };
  const named = { ...resource, resourceNames: [name], verbs: ['get', 'patch'] };
  return isDefinition ? [named] : [{ ...resource, verbs: ['create'] }, named];
}
