import { isJsonObject, type JsonObject } from '@fnlet/base';
import { listField, textField } from '../object/object-form.ts';

/** Which requests a rule is about (RuleWithOperations, NamedRuleWithOperations). */
export interface RequestRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  /** `pods`, `pods/status`, `pods/*`, `*` or `*` with a slash and a subresource. */
  readonly resources: readonly string[];
  /** The objects that are meant; none: all. */
  readonly names: readonly string[];
  readonly scope: string;
}

/** Which requests somebody is asked about. */
export interface RequestConstraints {
  readonly rules: readonly RequestRule[];
  readonly namespaceSelector: unknown;
  readonly objectSelector: unknown;
  /** Whether it is asked about the exact versions of its rules only. */
  readonly isExact: boolean;
}

/** The constraints of a webhook or, but for its rules, of a policy. */
export function parseConstraints(given: JsonObject, rules: string): RequestConstraints {
  return {
    rules: parseRules(given, rules),
    namespaceSelector: given.namespaceSelector,
    objectSelector: given.objectSelector,
    isExact: given.matchPolicy === 'Exact',
  };
}

/** The rules in a field. */
export function parseRules(given: JsonObject, field: string): readonly RequestRule[] {
  return listField(given, field).map((rule) => ({
    apiGroups: texts(rule.apiGroups),
    apiVersions: texts(rule.apiVersions),
    operations: texts(rule.operations),
    resources: texts(rule.resources),
    names: texts(rule.resourceNames),
    scope: textField(rule, 'scope') || '*',
  }));
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Whether a selector lets everything through, as one does that is not given. */
export function isEmptySelector(selector: unknown): boolean {
  if (!isJsonObject(selector)) return true;
  const { matchLabels, matchExpressions } = selector;
  return (
    (!isJsonObject(matchLabels) || Object.keys(matchLabels).length === 0) &&
    (!Array.isArray(matchExpressions) || matchExpressions.length === 0)
  );
}
