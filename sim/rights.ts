import type { KubeObject } from '@fnlet/machinery';
import { ConfigMap, type PolicyRule, requiredRules } from '@fnlet/sdk/operator';
import type { RightsLevel } from './action.ts';
import { operators } from './operators/catalogue.ts';
import { Mirror } from './operators/mirror.ts';
import { operatorsGroup } from './replica.ts';

const roleName = 'sim-operators';
const rbac = 'rbac.authorization.k8s.io';

/** The role of all operators as it is at a level of rights. */
export function roleAt(level: RightsLevel): KubeObject {
  const rules = level === 'none' ? [] : rulesAt(level);
  return { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: roleName }, rules };
}

/** Gives the role to whoever is an operator. */
export const roleBinding: KubeObject = {
  apiVersion: `${rbac}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: roleName },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: roleName },
  subjects: [{ apiGroup: rbac, kind: 'Group', name: operatorsGroup }],
};

function rulesOf(): readonly PolicyRule[] {
  const fate = {
    clock: still,
    outside: { made: new Set<string>(), undone: new Set<string>() },
    strikes: () => false,
  };
  return [
    ...requiredRules(operators(fate)),
    { apiGroups: [Mirror.group], resources: [Mirror.plural], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [Mirror.group], resources: [`${Mirror.plural}/status`], verbs: ['patch'] },
    { apiGroups: [''], resources: [ConfigMap.plural], verbs: ['create', 'patch'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
  ];
}

// What operators need to be allowed does not depend on what befalls them.
const still = { now: () => 0, monotonicMs: () => 0, after: () => ({ cancel() {} }) };

function rulesAt(level: RightsLevel): readonly PolicyRule[] {
  return rulesOf()
    .map((rule) => {
      const isLease = rule.resources.includes('leases');
      return level === 'all' || isLease ? rule : { ...rule, verbs: rule.verbs.filter(isReading) };
    })
    .filter(({ verbs }) => verbs.length > 0);
}

function isReading(verb: string): boolean {
  return verb === 'get' || verb === 'list' || verb === 'watch';
}
