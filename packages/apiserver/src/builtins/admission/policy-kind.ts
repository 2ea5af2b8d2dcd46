import { isJsonObject, type JsonObject } from '@fnlet/base';
import { formatLabelSelector, type KubeObject, labelSelectorFromSpec } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { column, specText } from '../cells.ts';
import { change, changeItems, changeSpec, fill } from '../fill.ts';

/** How `kubectl get` shows policies that validate and those that mutate; `own`: what they have. */
export function policyColumns(own: Column): readonly Column[] {
  const params = column('ParamKind', 'The kind of what configures it.', shownParamKind);
  return [nameColumn, own, params, ageColumn];
}

/** How it shows what makes these count. */
export const bindingColumns: readonly Column[] = [
  nameColumn,
  column('PolicyName', 'The policy that it makes count.', specText('policyName')),
  column('ParamRef', 'What configures the policy for it.', shownParamRef),
  ageColumn,
];

/** A policy with its defaults. */
export function fillPolicy(policy: KubeObject): KubeObject {
  return changeSpec(policy, (spec) =>
    change({ failurePolicy: 'Fail', ...spec }, 'matchConstraints', fillMatchResources),
  );
}

/** A binding with its defaults. */
export function fillBinding(binding: KubeObject): KubeObject {
  return changeSpec(binding, (spec) => change(spec, 'matchResources', fillMatchResources));
}

/** MatchResources with its defaults. */
function fillMatchResources(given: JsonObject): JsonObject {
  // A pointer to the empty text is one that was given.
  const defaults = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  const whole = { ...defaults, ...given };
  const scoped = (one: JsonObject, field: string): JsonObject =>
    changeItems(one, field, (rule) => fill(rule, { scope: '*' }));
  return scoped(scoped(whole, 'resourceRules'), 'excludeResourceRules');
}

function shownParamKind(policy: KubeObject): string {
  const { paramKind: kind } = objectField(policy, 'spec');
  return isJsonObject(kind) ? `${kind.apiVersion}/${kind.kind}` : '<unset>';
}

function shownParamRef(binding: KubeObject): string {
  const { paramRef: reference } = objectField(binding, 'spec');
  if (!isJsonObject(reference)) return '<unset>';
  const [name, namespace] = [textField(reference, 'name'), textField(reference, 'namespace')];
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  const { selector } = reference;
  return isJsonObject(selector) ? formatLabelSelector(labelSelectorFromSpec(selector)) : '<unset>';
}
