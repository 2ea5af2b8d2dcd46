import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { type Column, nameColumn } from '../answer/column.ts';
import { admitClusterRole, admitRole } from '../auth/admit-policy.ts';
import { rbacGroup } from '../auth/policy.ts';
import { listField } from '../object/object-form.ts';
import { fieldError } from '../request/request-options.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { labelSelector, selectorOf } from './label-selector-rule.ts';
import { invalid } from './refusal.ts';

const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  description: 'When the object was created.',
  cell: (role) => role.metadata.creationTimestamp ?? null,
};

export const roleStrategy: Strategy = builtinStrategy({
  group: rbacGroup,
  kind: 'Role',
  plural: 'roles',
  createOnUpdate: true,
  nameRule: 'pathSegment',
  description: 'A Role says what may be done in its namespace.',
  columns: [nameColumn, createdColumn],
  validate: (role) => ruleErrors(role, true),
  admit: admitRole,
});

export const clusterRoleStrategy: Strategy = builtinStrategy({
  group: rbacGroup,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  createOnUpdate: true,
  nameRule: 'pathSegment',
  description: 'A ClusterRole says what may be done everywhere, or where a RoleBinding gives it.',
  columns: [nameColumn, createdColumn],
  validate: (role) => [...ruleErrors(role, false), ...aggregationErrors(role)],
  admit: admitClusterRole,
});

function ruleErrors(role: KubeObject, isNamespaced: boolean): readonly FieldError[] {
  return listField(role, 'rules').flatMap((rule, i) => oneRule(rule, `rules[${i}]`, isNamespaced));
}

// pkg/apis/rbac/validation
function oneRule(rule: JsonObject, path: string, isNamespaced: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isEmpty = (field: string): boolean =>
    !Array.isArray(rule[field]) || rule[field].length === 0;
  const require = (field: string, what: string): void => {
    if (!isEmpty(field)) return;
    errors.push(fieldError('FieldValueRequired', `${path}.${field}`, `Required value: ${what}`));
  };
  const refusePaths = (why: string): void => {
    const text = `Invalid value: ${JSON.stringify(rule.nonResourceURLs)}: ${why}`;
    errors.push(fieldError('FieldValueInvalid', `${path}.nonResourceURLs`, text));
  };
  require('verbs', 'verbs must contain at least one value');
  if (isEmpty('nonResourceURLs')) {
    require('apiGroups', 'resource rules must supply at least one api group');
    require('resources', 'resource rules must supply at least one resource');
    return errors;
  }
  if (isNamespaced) refusePaths('namespaced rules cannot apply to non-resource URLs');
  if (!['apiGroups', 'resources', 'resourceNames'].every(isEmpty)) {
    refusePaths('rules cannot apply to both regular resources and non-resource URLs');
  }
  return errors;
}

function aggregationErrors({ aggregationRule }: KubeObject): readonly FieldError[] {
  if (!isJsonObject(aggregationRule)) return [];
  const selectors = listField(aggregationRule, 'clusterRoleSelectors');
  if (selectors.length > 0) return selectors.flatMap(oneSelector);
  const text = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  const field = 'aggregationRule.clusterRoleSelectors';
  return [fieldError('FieldValueRequired', field, `Required value: ${text}`)];
}

function oneSelector(selector: JsonObject, i: number): readonly FieldError[] {
  const at = `aggregationRule.clusterRoleSelectors[${i}]`;
  const errors = labelSelector(selector, at);
  if (selectorOf(selector) !== undefined) return errors;
  return [...errors, invalid(at, null, 'invalid label selector.')];
}
