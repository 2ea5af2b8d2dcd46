import type { User } from '../request/api-request.ts';
import type { PolicyRule } from './policy-rule.ts';

// Nobody may hand out more than they have (the escalation check of RBAC). Rules are compared by
// breaking the wished ones down to single permissions (component-helpers, auth/rbac/validation).

/** What of `wished` the owner's rules do not cover, as single permissions; empty when all is. */
export function uncoveredRules(
  owned: readonly PolicyRule[],
  wished: readonly PolicyRule[],
): readonly PolicyRule[] {
  const isCovered = (permission: PolicyRule): boolean =>
    owned.some((rule) => coversPermission(rule, permission));
  return wished.flatMap(singlePermissions).filter((permission) => !isCovered(permission));
}

const noLists: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

/** The rule taken apart: one verb, one group, one resource, at most one name each. */
function singlePermissions(rule: PolicyRule): readonly PolicyRule[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((named) => ({
          ...noLists,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames: named,
        })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ ...noLists, verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...ofResources, ...ofPaths];
}

function coversPermission(owned: PolicyRule, wished: PolicyRule): boolean {
  return (
    hasAll(owned.verbs, wished.verbs) &&
    hasAll(owned.apiGroups, wished.apiGroups) &&
    wished.resources.every((resource) => coversResource(owned.resources, resource)) &&
    coversNames(owned.resourceNames, wished.resourceNames) &&
    wished.nonResourceURLs.every((url) => coversPath(owned.nonResourceURLs, url))
  );
}

function hasAll(owned: readonly string[], wished: readonly string[]): boolean {
  return owned.includes('*') || wished.every((value) => owned.includes(value));
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true;
  const [, subresource] = resource.split('/');
  return subresource !== undefined && owned.includes(`*/${subresource}`);
}

// Without names a rule is about all of them, which only a rule without names covers.
function coversNames(owned: readonly string[], wished: readonly string[]): boolean {
  if (wished.length === 0) return owned.length === 0;
  return owned.length === 0 || wished.every((name) => owned.includes(name));
}

function coversPath(owned: readonly string[], url: string): boolean {
  return owned.some(
    (known) => known === url || (known.endsWith('*') && url.startsWith(known.replace(/\*+$/, ''))),
  );
}

/** What a refused escalation says; kubectl shows it as it is. */
export function escalationText(
  user: User,
  missing: readonly PolicyRule[],
  problems: readonly string[],
): string {
  const lines = [...new Set(joinVerbs(missing).map(formatCompactly))].sort();
  const groups = quoteAll(user.groups);
  const who = `user ${JSON.stringify(user.name)} (groups=${groups})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n`;
  const unresolved = problems.length === 0 ? '' : `; resolution errors: [${problems.join(' ')}]`;
  return `${text}${lines.join('\n')}${unresolved}`;
}

/** Permissions that differ in their verb only, as one. */
function joinVerbs(permissions: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const permission of permissions) {
    const key = JSON.stringify({ ...permission, verbs: [] });
    const verbs = joined.get(key)?.verbs ?? [];
    joined.set(key, { ...permission, verbs: [...new Set([...verbs, ...permission.verbs])] });
  }
  return [...joined.values()];
}

function formatCompactly(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  const texts = parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${quoteAll(values)}`);
  return `{${texts.join(', ')}}`;
}

/** Go's %q of a list. */
function quoteAll(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
