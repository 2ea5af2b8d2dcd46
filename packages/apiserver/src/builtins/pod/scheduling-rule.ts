import type { JsonObject } from '@fnlet/base';
import { type FieldError, nameProblems } from '@fnlet/machinery';
import { listField, textField } from '../../object/object-form.ts';
import { labelKey, labelValue, qualifiedName } from '../form.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { duplicate, forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  accept,
  all,
  always,
  alwaysOneOf,
  each,
  fields,
  isUnset,
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

/** The one field that nodes can be chosen by is the name. */
const nodeField: Rule = about((requirement, path) => {
  const { key, operator, values } = requirement;
  const names = Array.isArray(values) ? values : [];
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator'));
  } else if (names.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(missing(`${path}.values`, why));
  }
  if (key !== 'metadata.name') {
    return [...errors, invalid(`${path}.key`, key ?? '', 'not a valid field selector key')];
  }
  const nameErrors = names.flatMap((name: unknown, i) =>
    nameProblems('dns1123Subdomain', String(name)).map((problem) =>
      invalid(`${path}.values[${i}]`, name, problem),
    ),
  );
  return [...errors, ...nameErrors];
});

/** Of nodes that are preferred, the values of labels may be anything. */
function nodeTerm(value: Rule): Rule {
  return fields({
    matchExpressions: each(all(nodeOperator, fields({ key: labelKey, values: each(value) }))),
    matchFields: each(nodeField),
  });
}

/** The nodes that will do. */
export const nodeSelector: Rule = whenSet(
  fields({
    nodeSelectorTerms: required(
      each(nodeTerm(labelValue)),
      'must have at least one node selector term',
    ),
  }),
);

const weight = always(
  0,
  (value) => typeof value === 'number' && value >= 1 && value <= 100,
  'must be in the range 1-100',
);

/** Told at `namespace`, whichever it is. */
const namespaceNames: Rule = about(({ namespaces }, path) =>
  (Array.isArray(namespaces) ? namespaces : []).flatMap((name: unknown) =>
    nameProblems('dns1123Label', String(name)).map((problem) =>
      invalid(`${path}.namespace`, name, problem),
    ),
  ),
);

const podTerm = all(
  fields({ labelSelector, namespaceSelector: labelSelector }),
  namespaceNames,
  fields({ topologyKey: all(required(accept, 'can not be empty'), labelKey) }),
);

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
          fields({ weight, preference: nodeTerm(accept) }),
        ),
      }),
    ),
    podAffinity: podTerms,
    podAntiAffinity: podTerms,
  }),
);

const inclusion = oneOf('Honor', 'Ignore');

const constraint = fields({
  maxSkew: always(0, (value) => Number(value) > 0, 'must be greater than zero'),
  topologyKey: required(accept, 'can not be empty'),
  whenUnsatisfiable: alwaysOneOf('DoNotSchedule', 'ScheduleAnyway'),
});

const fewestDomains: Rule = about(({ minDomains, whenUnsatisfiable }, path) => {
  const at = `${path}.minDomains`;
  if (isUnset(minDomains)) return [];
  const errors =
    Number(minDomains) > 0 ? [] : [invalid(at, minDomains, 'must be greater than zero')];
  if (whenUnsatisfiable === 'DoNotSchedule') return errors;
  const manner = String(whenUnsatisfiable ?? '');
  const problem = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${manner}`;
  return [...errors, invalid(at, minDomains, problem)];
});

const constraintRest = all(
  fewestDomains,
  fields({ nodeAffinityPolicy: inclusion, nodeTaintsPolicy: inclusion, labelSelector }),
);

/** How Pods of a kind spread; each pair of key and manner stands once. */
export const spreading: Rule = (value, path) => {
  const constraints = listField({ value }, 'value');
  return constraints.flatMap((one, index) => {
    const at = `${path}[${index}]`;
    const isSaidAgain = constraints.slice(index + 1).some((other) => isSameSpread(one, other));
    const pair = `{${String(one.topologyKey)}, ${String(one.whenUnsatisfiable)}}`;
    return [
      ...constraint(one, at),
      ...(isSaidAgain ? [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair)] : []),
      ...constraintRest(one, at),
    ];
  });
};

function isSameSpread(a: JsonObject, b: JsonObject): boolean {
  return a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable;
}
