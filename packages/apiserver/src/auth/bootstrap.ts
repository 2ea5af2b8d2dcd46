import type { KubeObject } from '@fnlet/machinery';
import { labelSelectorFromSpec } from '@fnlet/machinery';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { controllerManager } from '../crd/crd-controller.ts';
import { nextTurn } from '../object/in-turns.ts';
import { listField, textField, withFields } from '../object/object-form.ts';
import { readObject } from '../object/objects.ts';
import type { Resource } from '../resource/resource.ts';
import { createObject } from '../write/create.ts';
import { updateObject } from '../write/update.ts';
import { aggregateRules } from './aggregate-rules.ts';
import {
  type BootstrapBinding,
  type BootstrapRole,
  bootstrapBindings,
  bootstrapRoles,
} from './bootstrap-policy.ts';
import { rbacGroup } from './policy.ts';
import { formatPolicyRule, type PolicyRule, parsePolicyRules } from './policy-rule.ts';
import { uncoveredRules } from './rules-cover.ts';

const apiVersion = `${rbacGroup}/v1`;
const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';
const defaultLabel = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

/**
 * Makes the roles and bindings that are always there, and gives those of an older Fnlet what has
 * come to them since. Whoever wants to change one for good takes its annotation `autoupdate` off.
 */
export async function bootstrapPolicy(context: ApiContext): Promise<void> {
  const roles = context.catalog.find(rbacGroup, 'v1', 'clusterroles');
  const bindings = context.catalog.find(rbacGroup, 'v1', 'clusterrolebindings');
  if (roles === undefined || bindings === undefined) return;
  const wished = [
    ...bootstrapRoles.map((role) => ({ resource: roles, object: toClusterRole(role) })),
    ...bootstrapBindings.map((binding) => ({
      resource: bindings,
      object: toClusterRoleBinding(binding),
    })),
  ];
  const pending: Promise<void>[] = [];
  for (const { resource, object } of wished) {
    // One a turn: the server begins to listen meanwhile.
    await nextTurn();
    pending.push(ensure(context, resource, object));
  }
  await Promise.all(pending);
}

function metadataOf(name: string, labels = {}): KubeObject['metadata'] {
  return { name, labels: { ...defaultLabel, ...labels }, annotations: { [autoupdate]: 'true' } };
}

function toClusterRole(role: BootstrapRole): KubeObject {
  const { name, labels, aggregates } = role;
  const rules = gatheredRules(role).map(formatPolicyRule);
  const base = { apiVersion, kind: 'ClusterRole', metadata: metadataOf(name, labels), rules };
  if (aggregates === undefined) return base;
  const selector = { matchLabels: { [aggregates]: 'true' } };
  return { ...base, aggregationRule: { clusterRoleSelectors: [selector] } };
}

// Complete from the start: nobody is refused until the controller has gathered them.
function gatheredRules({ name, aggregates, rules }: BootstrapRole): readonly PolicyRule[] {
  if (aggregates === undefined) return rules;
  const selector = labelSelectorFromSpec({ matchLabels: { [aggregates]: 'true' } });
  const roles = bootstrapRoles.map((role) => ({
    name: role.name,
    labels: role.labels ?? {},
    rules: role.labels?.[aggregates] === undefined ? [] : gatheredRules(role),
  }));
  return aggregateRules(name, [selector], roles);
}

function toClusterRoleBinding({ name, groups }: BootstrapBinding): KubeObject {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: metadataOf(name),
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: rbacGroup, name: group })),
  };
}

async function ensure(context: ApiContext, resource: Resource, wished: KubeObject): Promise<void> {
  const key = { namespace: '', name: wished.metadata.name };
  const found = readObject(context, resource, key)?.object;
  if (found === undefined) {
    const request = { object: wished, namespace: '', manager: controllerManager, dryRun: false };
    await createObject(context, resource, request).catch((error: unknown) => {
      if (!hasReason(error, 'AlreadyExists')) throw error;
    });
    return;
  }
  if (found.metadata.annotations?.[autoupdate] !== 'true') return;
  if (planMissing(found, wished) === undefined) return;
  await updateObject(context, resource, {
    key,
    dryRun: false,
    propose: (current) => {
      const missing = planMissing(current, wished);
      const object = missing === undefined ? current : withFields(current, missing);
      return { object, manager: controllerManager };
    },
  });
}

/** The fields with what the wished object has and the found one lacks; `undefined` for nothing. */
function planMissing(
  found: KubeObject,
  wished: KubeObject,
): Readonly<Record<string, unknown>> | undefined {
  // What is gathered from other roles is the controller's to write.
  if (wished.aggregationRule !== undefined) return undefined;
  const missing = uncoveredRules(parsePolicyRules(found.rules), parsePolicyRules(wished.rules));
  if (missing.length > 0) {
    return { rules: [...listField(found, 'rules'), ...missing.map(formatPolicyRule)] };
  }
  const known = new Set(listField(found, 'subjects').map((subject) => textField(subject, 'name')));
  const subjects = listField(wished, 'subjects').filter(
    (subject) => !known.has(textField(subject, 'name')),
  );
  if (subjects.length === 0) return undefined;
  return { subjects: [...listField(found, 'subjects'), ...subjects] };
}
