import { isJsonObject } from '@fnlet/base';
import type { AccessAttributes } from './access-attributes.ts';

/** One rule of a role (rbac.authorization.k8s.io/v1 PolicyRule); absent lists are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules in an object's `rules` field; what is none of a rule's lists is left out. */
export function parsePolicyRules(value: unknown): readonly PolicyRule[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((rule) => ({
    verbs: texts(rule.verbs),
    apiGroups: texts(rule.apiGroups),
    resources: texts(rule.resources),
    resourceNames: texts(rule.resourceNames),
    nonResourceURLs: texts(rule.nonResourceURLs),
  }));
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The rule as objects hold it, without its empty lists. */
export function formatPolicyRule(rule: PolicyRule): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(rule).filter(([, values]) => values.length > 0));
}

/** Whether the rule lets this be done (rbac/v1 evaluation helpers). */
export function ruleAllows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!includesOrAll(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === 'path') return matchesPath(rule, attributes.path);
  const { group, resource, subresource, name } = attributes;
  return (
    includesOrAll(rule.apiGroups, group) &&
    matchesResource(rule, resource, subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

function includesOrAll(values: readonly string[], asked: string): boolean {
  return values.includes('*') || values.includes(asked);
}

function matchesResource(rule: PolicyRule, resource: string, subresource: string): boolean {
  const { resources } = rule;
  if (subresource === '') return includesOrAll(resources, resource);
  return (
    includesOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
  );
}

/** A final `*` stands for any rest. */
function matchesPath({ nonResourceURLs }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some(
    (url) => url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, ''))),
  );
}
