import { isJsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { qualifiedName, quantities } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { isQuotaResource, quantityOf, resourceName } from '../pod/resource-rule.ts';
import { invalid, missing } from '../refusal.ts';
import { about, all, each, fields, type Rule, whenSet } from '../rule.ts';

const quotaResource: Rule = (value, path) => {
  const name = String(value);
  const errors = resourceName(name, path);
  if (name.includes('/') || isQuotaResource(name)) return errors;
  return [...errors, invalid(path, name, 'must be a standard resource for quota')];
};

const counted = 'count/';

// `count/deployments.apps` counts objects of any kind.
const hardName: Rule = (value, path) =>
  String(value).startsWith(counted) ? qualifiedName(value, path) : quotaResource(value, path);

const scopes = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];

const oppositeScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

const scopeList: Rule = (value, path) => {
  if (!Array.isArray(value)) return [];
  const unknown = value.filter((scope) => !scopes.includes(String(scope)));
  const isTorn = oppositeScopes.some((pair) => pair.every((scope) => value.includes(scope)));
  return [
    ...unknown.map(() => invalid(path, value, 'unsupported scope')),
    ...(isTorn ? [invalid(path, value, 'conflicting scopes')] : []),
  ];
};

// Kubernetes tells problems of any expression at the list of them.
const scopeExpression = (path: string): Rule =>
  about((requirement): readonly FieldError[] => {
    const { scopeName = '', operator = '', values } = requirement;
    const count = Array.isArray(values) ? values.length : 0;
    const errors: FieldError[] = [];
    if (!scopes.includes(String(scopeName))) {
      errors.push(invalid(`${path}.scopeName`, scopeName, 'unsupported scope'));
    }
    switch (operator) {
      case 'In':
      case 'NotIn': {
        const why =
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
        return count > 0 ? errors : [...errors, missing(`${path}.values`, why)];
      }
      case 'Exists':
      case 'DoesNotExist': {
        const why =
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
        return count === 0 ? errors : [...errors, invalid(`${path}.values`, values, why)];
      }
      default: {
        const why = 'not a valid selector operator';
        return [...errors, invalid(`${path}.operator`, operator, why)];
      }
    }
  });

const scopeSelector: Rule = whenSet(
  fields({ matchExpressions: (value, path) => each(scopeExpression(path))(value, path) }),
);

/** What is counted in whole objects. */
const whole = new Set([
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
]);

const wholeNumbers: Rule = (hard, path) =>
  Object.entries(isJsonObject(hard) ? hard : {}).flatMap(([name, value]) => {
    const quantity = quantityOf(value);
    const isCounted = whole.has(name) || name.startsWith(counted);
    const isWhole = quantity === undefined || quantity.nano % 1_000_000_000n === 0n;
    return isCounted && !isWhole ? [invalid(`${path}[${name}]`, value, 'must be an integer')] : [];
  });

const hardRule: Rule = all(quantities(hardName), wholeNumbers);

const specRule: Rule = fields({ hard: hardRule, scopes: scopeList, scopeSelector });

function changeErrors(quota: KubeObject, old: KubeObject): readonly FieldError[] {
  const next = objectField(quota, 'spec').scopes;
  const before = objectField(old, 'spec').scopes;
  if (jsonEqual(sorted(next), sorted(before))) return [];
  return [invalid('spec.scopes', next ?? null, 'field is immutable')];
}

function sorted(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.map(String))].sort() : [];
}

/** What is used of what there is, for names of one sort. */
const usageCell =
  (isLimit: boolean) =>
  (quota: KubeObject): string => {
    const status = objectField(quota, 'status');
    const used = objectField(status, 'used');
    return Object.entries(objectField(status, 'hard'))
      .filter(([name]) => name.startsWith('limits.') === isLimit)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, hard]) => `${name}: ${String(used[name] ?? '0')}/${String(hard)}`)
      .join(', ');
  };

/** core/v1 ResourceQuota. Nothing here counts what is used: a quota is kept, not enforced. */
export const resourceQuotaRules: KindRules = {
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  columns: [
    nameColumn,
    column('Request', 'What is used of what may be asked for.', usageCell(false)),
    column('Limit', 'What is used of what may be taken.', usageCell(true)),
    ageColumn,
  ],
  prepareCreate: (quota) => ({ ...quota, status: {} }),
  validate: validation(fields({ spec: specRule }), changeErrors),
};
