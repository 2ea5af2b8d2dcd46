import { compareVersions } from '@fnlet/machinery';
import type { Strategy } from '../resource/strategy.ts';
import { accessReviewStrategies } from './access-review.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { configMapStrategy } from './config-map.ts';
import { customResourceDefinitionStrategy } from './custom-resource-definition.ts';
import { coreEventStrategy, eventStrategy } from './event.ts';
import { type BuiltinKindFacts, builtinKinds } from './facts/builtin-kinds.ts';
import { leaseStrategy } from './lease.ts';
import { namespaceStrategy } from './namespace.ts';
import { podStrategy } from './pod.ts';
import { clusterRoleStrategy, roleStrategy } from './role.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './role-binding.ts';
import { ruledKinds } from './ruled-kinds.ts';
import { secretStrategy } from './secret.ts';
import { selfSubjectReviewStrategies } from './self-subject-review.ts';
import { serviceStrategy } from './service.ts';
import { serviceAccountStrategy } from './service-account.ts';
import { tokenReviewStrategy } from './token-review.ts';

/** The kinds that have rules of their own. */
const ruled: readonly Strategy[] = [
  configMapStrategy,
  coreEventStrategy,
  namespaceStrategy,
  podStrategy,
  secretStrategy,
  serviceStrategy,
  serviceAccountStrategy,
  ...selfSubjectReviewStrategies,
  tokenReviewStrategy,
  ...accessReviewStrategies,
  leaseStrategy,
  eventStrategy,
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
  customResourceDefinitionStrategy,
  ...ruledKinds.map(builtinStrategy),
];

/** The groups, preferred first, as kube-apiserver's aggregator has them. */
const groups = [
  ...['', 'apiregistration.k8s.io', 'apps', 'events.k8s.io', 'authentication.k8s.io'],
  ...['authorization.k8s.io', 'autoscaling', 'batch', 'certificates.k8s.io', 'networking.k8s.io'],
  ...['policy', 'rbac.authorization.k8s.io', 'storage.k8s.io', 'admissionregistration.k8s.io'],
  ...['apiextensions.k8s.io', 'scheduling.k8s.io', 'coordination.k8s.io', 'node.k8s.io'],
  ...['discovery.k8s.io', 'resource.k8s.io', 'flowcontrol.apiserver.k8s.io'],
];

const places = new Map(groups.map((group, place) => [group, place]));

function placeOf({ type }: Strategy): number {
  return places.get(type.group) ?? groups.length;
}

/** Every kind that is there without a CustomResourceDefinition, by groups, preferred first. */
export const builtinStrategies: readonly Strategy[] = [...ruled, ...structuralStrategies()].sort(
  (a, b) => placeOf(a) - placeOf(b),
);

/** The other kinds: stored as they come, as long as they keep to their structure. */
function structuralStrategies(): readonly Strategy[] {
  const key = (kind: { group: string; plural: string }): string => `${kind.group}/${kind.plural}`;
  const known = new Set(ruled.map(({ type }) => key(type)));
  return builtinKinds
    .filter((kind) => !known.has(key(kind)) && isPlain(kind))
    .map(({ group, version, kind, plural }) => builtinStrategy({ group, version, kind, plural }));
}

// Questions need answers, and an older version of a kind needs its conversion: both are rules.
function isPlain({ group, version, plural, verbs }: BuiltinKindFacts): boolean {
  if (verbs?.includes('list') === false) return false;
  const versions = builtinKinds.filter((kind) => kind.group === group && kind.plural === plural);
  return versions.every((other) => compareVersions(version, other.version) <= 0);
}
