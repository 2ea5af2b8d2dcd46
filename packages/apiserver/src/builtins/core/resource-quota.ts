import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import {
  compareQuantities,
  type FieldError,
  formatQuantity,
  type KubeObject,
} from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { qualifiedName, quantities } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { isQuotaResource, quantityOf, resourceName } from '../pod/resource-rule.ts';
import { invalid, missing } from '../refusal.ts';
import { about, all, each, fields, type Rule } from '../rule.ts';

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

const podResources = ['cpu', 'memory'].flatMap((name) => [
  name,
  `limits.${name}`,
  `requests.${name}`,
]);

/** What a quota of a scope may bound, of the resources that Kubernetes itself knows. */
function resourcesIn(scope: string): readonly string[] | undefined {
  if (!scopes.includes(scope)) return undefined;
  if (scope === 'BestEffort') return ['pods'];
  if (scope === 'VolumeAttributesClass') return ['persistentvolumeclaims', 'requests.storage'];
  return ['pods', ...podResources];
}

/** One refusal for each resource that the scope says nothing about. */
function misfits(spec: JsonObject, scope: string, refusal: FieldError): readonly FieldError[] {
  const fitting = resourcesIn(scope);
  if (fitting === undefined) return [];
  return Object.keys(objectField(spec, 'hard'))
    .filter((name) => isQuotaResource(name) && !fitting.includes(name))
    .map(() => refusal);
}

const misfit = 'unsupported scope applied to resource';

const scopeList: Rule = about((spec, path) => {
  const { scopes: value } = spec;
  if (!Array.isArray(value)) return [];
  const at = `${path}.scopes`;
  const isTorn = oppositeScopes.some((pair) => pair.every((scope) => value.includes(scope)));
  const errors = value.flatMap((scope) => [
    ...(scopes.includes(String(scope)) ? [] : [invalid(at, value, 'unsupported scope')]),
    ...misfits(spec, String(scope), invalid(at, value, misfit)),
  ]);
  return [...errors, ...(isTorn ? [invalid(at, value, 'conflicting scopes')] : [])];
});

// Kubernetes tells problems of any expression at the list of them.
const scopeExpression = (spec: JsonObject, path: string): Rule =>
  about((requirement): readonly FieldError[] => {
    const { scopeName = '', operator = '', values } = requirement;
    const count = Array.isArray(values) ? values.length : 0;
    const errors: FieldError[] = [];
    const scope = String(scopeName);
    if (!scopes.includes(scope)) {
      errors.push(invalid(`${path}.scopeName`, scopeName, 'unsupported scope'));
    }
    errors.push(...misfits(spec, scope, invalid(path, shownSelector(spec), misfit)));
    if (namelessScopes.includes(scope) && operator !== 'Exists') {
      errors.push(invalid(`${path}.operator`, operator, noNames));
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

const namelessScopes = scopes.filter((scope) => !scope.endsWith('Class'));
const noNames =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, " +
  'ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ' +
  'ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

/** The selector as Kubernetes shows it: the names of its fields are those of Go. */
function shownSelector(spec: JsonObject): JsonObject {
  const expressions = listField(objectField(spec, 'scopeSelector'), 'matchExpressions');
  return {
    MatchExpressions: expressions.map(({ scopeName = '', operator = '', values = null }) => ({
      ...{ ScopeName: scopeName, Operator: operator, Values: values },
    })),
  };
}

const scopeSelector: Rule = about((spec, path) => {
  const at = `${path}.scopeSelector.matchExpressions`;
  const { matchExpressions } = objectField(spec, 'scopeSelector');
  return each(scopeExpression(spec, at))(matchExpressions, at);
});

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

const specRule: Rule = all(fields({ hard: hardRule }), scopeList, scopeSelector);

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

/** What asks for more than may be used is a mistake, if none that is refused. */
function warnOf({ spec }: KubeObject, warn: (text: string) => void): void {
  const hard = objectField(isJsonObject(spec) ? spec : {}, 'hard');
  for (const name of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const short = name === 'cpu' || name === 'memory' ? [name] : [];
    const asked = [`requests.${name}`, ...short].find((one) => hard[one] !== undefined) ?? '';
    const [request, limit] = [hard[asked], hard[`limits.${name}`]].map(quantityOf);
    if (request === undefined || limit === undefined) continue;
    if (compareQuantities(request, limit) <= 0) continue;
    const bound = `limits.${name} (${formatQuantity(limit)})`;
    warn(`ResourceQuota ${asked} (${formatQuantity(request)}) should be less than ${bound}`);
  }
}

/** core/v1 ResourceQuota. What it bounds is counted in `quota/`. */
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
  admit: async (quota, old, { warn }) => {
    if (old === undefined) warnOf(quota, warn);
  },
  validate: validation(fields({ spec: specRule }), changeErrors),
};
