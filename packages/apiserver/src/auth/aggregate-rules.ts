import { hasCode, isJsonObject } from '@fnlet/base';
import { type LabelSelector, labelSelectorFromSpec, matchesLabels } from '@fnlet/machinery';
import { type PolicyRule, parsePolicyRules } from './policy-rule.ts';

/** What aggregation looks at of a ClusterRole. */
export interface AggregatedRole {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
}

/**
 * The rules of a ClusterRole that gathers those of others: of every role that one of its selectors
 * selects, by name, each rule once (clusterroleaggregation controller).
 */
export function aggregateRules(
  name: string,
  selectors: readonly LabelSelector[],
  roles: readonly AggregatedRole[],
): readonly PolicyRule[] {
  const sorted = [...roles].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of selectors) {
    for (const role of sorted) {
      if (role.name === name || !matchesLabels(selector, role.labels)) continue;
      for (const rule of role.rules) rules.set(keyOf(rule), rule);
    }
  }
  return [...rules.values()];
}

function keyOf({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
}: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

/** The selectors of a ClusterRole's aggregationRule; `undefined` when it has none. */
export function aggregationSelectors(role: object): readonly LabelSelector[] | undefined {
  if (!('aggregationRule' in role) || !isJsonObject(role.aggregationRule)) return undefined;
  const { clusterRoleSelectors } = role.aggregationRule;
  if (!Array.isArray(clusterRoleSelectors)) return [];
  return clusterRoleSelectors.filter(isJsonObject).flatMap((spec) => {
    try {
      return [labelSelectorFromSpec(spec)];
    } catch (error) {
      // Validation has refused it; what came into the store otherwise selects nothing.
      if (!hasCode(error, 'InvalidSelector')) throw error;
      return [];
    }
  });
}

/** A stored ClusterRole as aggregation sees it. */
export function toAggregatedRole(role: {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules?: unknown;
}): AggregatedRole {
  const { name, labels = {} } = role.metadata;
  return { name, labels, rules: parsePolicyRules(role.rules) };
}
