import { isJsonObject, jsonEqual } from '@fnlet/base';
import type { KubeObject, StatusError } from '@fnlet/machinery';
import { forbidden, notFound } from '../answer/status-texts.ts';
import { objectField, textField, withMetadata } from '../object/object-form.ts';
import type { Asker } from '../resource/strategy.ts';
import { isSuperuser } from './decide-access.ts';
import { rbacGroup } from './policy.ts';
import { type PolicyRule, parsePolicyRules } from './policy-rule.ts';
import { escalationText, uncoveredRules } from './rules-cover.ts';

// Roles and bindings hand out rights, so whoever writes one must hold what it hands out, or have
// been given the verb `escalate` on roles or `bind` on the bound role (registry/rbac, policybased).

/** @throws StatusError `Forbidden` */
export async function admitRole(
  role: KubeObject,
  old: KubeObject | undefined,
  asker: Asker,
): Promise<void> {
  if (await mayEscalate('roles', role, asker)) return;
  if (old !== undefined && isReleased(role, old)) return;
  await checkHeld('roles', role, { rules: parsePolicyRules(role.rules), asker });
}

/** @throws StatusError `Forbidden` */
export async function admitClusterRole(
  role: KubeObject,
  old: KubeObject | undefined,
  asker: Asker,
): Promise<void> {
  if (await mayEscalate('clusterroles', role, asker)) return;
  if (old !== undefined && isReleased(role, old)) return;
  await checkHeld('clusterroles', role, { rules: parsePolicyRules(role.rules), asker });
  // What it gathers later on is in nobody's hands.
  if (!isJsonObject(role.aggregationRule) && !isJsonObject(old?.aggregationRule)) return;
  if ((await missingRules(everything, asker)).missing.length === 0) return;
  const text = 'must have cluster-admin privileges to use the aggregationRule';
  throw refusal('clusterroles', role, text);
}

/** @throws StatusError `Forbidden`, `NotFound` (the bound role) */
export async function admitBinding(
  binding: KubeObject,
  old: KubeObject | undefined,
  asker: Asker,
): Promise<void> {
  const { user, access, namespace } = asker;
  if (isSuperuser(user)) return;
  if (old !== undefined && isReleased(binding, old)) return;
  const reference = objectField(binding, 'roleRef');
  const role = { kind: textField(reference, 'kind'), name: textField(reference, 'name') };
  const resource = role.kind === 'Role' ? 'roles' : 'clusterroles';
  const target = { group: rbacGroup, version: '*', resource, subresource: '', name: role.name };
  const bind = { kind: 'resource' as const, user, verb: 'bind', namespace, ...target };
  if ((await access.authorize(bind)).allowed) return;
  const rules = await access.rulesOf(role, namespace);
  if (rules === undefined) throw notFound({ group: rbacGroup, plural: resource }, role.name);
  const plural = binding.kind === 'RoleBinding' ? 'rolebindings' : 'clusterrolebindings';
  await checkHeld(plural, binding, { rules, asker });
}

const noLists = { resourceNames: [], apiGroups: [], resources: [], nonResourceURLs: [] };
const everything: readonly PolicyRule[] = [
  { ...noLists, verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { ...noLists, verbs: ['*'], nonResourceURLs: ['*'] },
];

async function mayEscalate(
  resource: string,
  role: KubeObject,
  { user, access, namespace }: Asker,
): Promise<boolean> {
  if (isSuperuser(user)) return true;
  const target = { group: rbacGroup, version: '*', resource, subresource: '' };
  const { name } = role.metadata;
  const escalate = {
    kind: 'resource' as const,
    user,
    verb: 'escalate',
    namespace,
    ...target,
    name,
  };
  return (await access.authorize(escalate)).allowed;
}

/** Whether only what keeps the object from being collected changed. */
function isReleased(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences, finalizers, managedFields, resourceVersion } = old.metadata;
  const changes = { ownerReferences, finalizers, managedFields, resourceVersion };
  return jsonEqual(withMetadata(object, changes), old);
}

async function checkHeld(
  plural: string,
  object: KubeObject,
  { rules, asker }: { readonly rules: readonly PolicyRule[]; readonly asker: Asker },
): Promise<void> {
  const { missing, problems } = await missingRules(rules, asker);
  if (missing.length === 0) return;
  throw refusal(plural, object, escalationText(asker.user, missing, problems));
}

async function missingRules(
  wished: readonly PolicyRule[],
  { user, access, namespace }: Asker,
): Promise<{ readonly missing: readonly PolicyRule[]; readonly problems: readonly string[] }> {
  const { rules, problems } = await access.rulesFor(user, namespace);
  return { missing: uncoveredRules(rules, wished), problems };
}

function refusal(plural: string, object: KubeObject, text: string): StatusError {
  return forbidden({ group: rbacGroup, plural }, object.metadata.name, { text });
}
