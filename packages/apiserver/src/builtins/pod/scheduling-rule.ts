import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, textField } from '../../object/object-form.ts';
import { labelValue, qualifiedName } from '../form.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { duplicate, forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  all,
  each,
  fields,
  isUnset,
  must,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';

// Where a Pod may run: tolerations, affinity, spreading.

const effects = oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute');

/** The effect of a taint. */
export const taintEffect: Rule = required(effects);

const tolerationWhole: Rule = about((toleration, path) => {
  const operator = textField(toleration, 'operator');
  const errors: FieldError[] = [];
  if (isUnset(toleration.key) && operator !== 'Exists') {
    const text =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${path}.operator`, operator, text));
  }
  if (!isUnset(toleration.tolerationSeconds) && toleration.effect !== 'NoExecute') {
    const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(`${path}.effect`, toleration.effect ?? '', text));
  }
  if (operator === 'Exists' && !isUnset(toleration.value)) {
    const text = "value must be empty when `operator` is 'Exists'";
    errors.push(invalid(`${path}.operator`, toleration.value, text));
  }
  if (operator === '' || operator === 'Equal') {
    errors.push(...labelValue(toleration.value, `${path}.operator`));
  }
  return errors;
});

/** Taints that do not keep the Pod away. */
export const tolerations: Rule = each(
  all(
    fields({ key: qualifiedName }),
    tolerationWhole,
    fields({ operator: oneOf('Equal', 'Exists'), effect: effects }),
  ),
);

const nodeOperator: Rule = about((requirement, path) => {
  const count = Array.isArray(requirement.values) ? requirement.values.length : 0;
  const at = `${path}.values`;
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [missing(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist': {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return count === 0 ? [] : [forbidden(at, why)];
    }
    case 'Gt':
    case 'Lt':
      return count === 1
        ? []
        : [missing(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [
        invalid(`${path}.operator`, requirement.operator ?? '', 'not a valid selector operator'),
      ];
  }
});

const nodeTerm = fields({
  matchExpressions: each(all(nodeOperator, fields({ key: required(qualifiedName) }))),
  matchFields: each(nodeOperator),
});

/** The nodes that will do. */
export const nodeSelector: Rule = whenSet(
  fields({
    nodeSelectorTerms: required(each(nodeTerm), 'must have at least one node selector term'),
  }),
);

const weight = must(
  (value) => typeof value === 'number' && value >= 1 && value <= 100,
  'must be in the range 1-100',
);

const podTerm = fields({
  labelSelector,
  namespaceSelector: labelSelector,
  topologyKey: required(qualifiedName, 'can not be empty'),
});

const podTerms = whenSet(
  fields({
    requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
    preferredDuringSchedulingIgnoredDuringExecution: each(
      fields({ weight, podAffinityTerm: podTerm }),
    ),
  }),
);

/** Where a Pod wants to be. */
export const affinity: Rule = whenSet(
  fields({
    nodeAffinity: whenSet(
      fields({
        requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
        preferredDuringSchedulingIgnoredDuringExecution: each(
          fields({ weight, preference: nodeTerm }),
        ),
      }),
    ),
    podAffinity: podTerms,
    podAntiAffinity: podTerms,
  }),
);

const constraint = fields({
  maxSkew: must((value) => Number(value) > 0, 'must be greater than zero'),
  topologyKey: required(qualifiedName, 'can not be empty'),
  whenUnsatisfiable: required(oneOf('DoNotSchedule', 'ScheduleAnyway')),
  labelSelector,
});

/** How Pods of a kind spread; each pair of key and manner stands once. */
export const spreading: Rule = all(each(constraint), (value, path) => {
  const constraints = listField({ value }, 'value');
  return constraints.flatMap((one, index) => {
    const isAgain = constraints.slice(0, index).some((other) => isSameSpread(one, other));
    const pair = `{${String(one.topologyKey)}, ${String(one.whenUnsatisfiable)}}`;
    const field = `${path}[${index}].{topologyKey, whenUnsatisfiable}`;
    return isAgain ? [duplicate(field, pair)] : [];
  });
});

function isSameSpread(a: JsonObject, b: JsonObject): boolean {
  return a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable;
}
