import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import type { CelComposition } from '@fnlet/schema';
import { createComposition } from '../../admission/admission-expressions.ts';
import { expressionProblem } from '../../admission/match-condition.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { countColumn } from '../cells.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { invalid, missing, notSupported } from '../refusal.ts';
import {
  about,
  all,
  alwaysOneOf,
  each,
  fields,
  oneOf,
  optional,
  type Rule,
  required,
} from '../rule.ts';
import { matchConditions } from './match-condition-rule.ts';
import { bindingColumns, fillBinding, fillPolicy, policyColumns } from './policy-kind.ts';
import {
  matchConstraints,
  matchResources,
  paramKind,
  paramRef,
  policyName,
  variables,
} from './policy-rule.ts';

// admissionregistration/validation: MutatingAdmissionPolicy and its binding.

const operations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** What is deleted cannot be changed any more. */
const mutableOperations: Rule = (value, path) =>
  listField(isJsonObject(value) ? value : {}, 'resourceRules').flatMap((rule) => {
    const given: readonly unknown[] = Array.isArray(rule.operations) ? rule.operations : [];
    return given
      .filter((operation) => !operations.includes(String(operation)))
      .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, operations));
  });

/** A way to say what is changed. */
interface Patch {
  readonly field: string;
  /** What its expression must construct. */
  readonly type: string;
}

const patches: Readonly<Record<string, Patch>> = {
  ApplyConfiguration: { field: 'applyConfiguration', type: 'Object' },
  JSONPatch: { field: 'jsonPatch', type: 'list(JSONPatch)' },
};

const mutation = (composition: CelComposition): Rule =>
  about((one, path) => {
    const patchType = textField(one, 'patchType');
    const typePath = `${path}.patchType`;
    if (patchType === '') return [missing(typePath)];
    const patch = Object.hasOwn(patches, patchType) ? patches[patchType] : undefined;
    if (patch === undefined) return [notSupported(typePath, patchType, Object.keys(patches))];
    const only = `when patchType is ${patchType}`;
    const given = one[patch.field];
    const at = `${path}.${patch.field}`;
    return [
      ...(isJsonObject(given)
        ? patchExpression(composition, textField(given, 'expression'), { patch, at })
        : [missing(at, `must be specified ${only}`)]),
      ...Object.values(patches)
        .filter(({ field }) => field !== patch.field && isJsonObject(one[field]))
        .map(({ field }) => {
          return invalid(`${path}.${field}`, `{${field}}`, `must not be specified ${only}`);
        }),
    ];
  });

function patchExpression(
  composition: CelComposition,
  source: string,
  { patch, at }: { readonly patch: Patch; readonly at: string },
): readonly FieldError[] {
  const expression = source.trim();
  const path = `${at}.expression`;
  if (expression === '') return [missing(path)];
  const expected = { types: [patch.type], hasPatchTypes: true };
  const problem = expressionProblem(composition, expression, expected);
  return problem === undefined ? [] : [invalid(path, expression, problem)];
}

const policyRules: Rule = (value, path) => {
  const spec = objectField(isJsonObject(value) ? value : {}, 'spec');
  const hasParams = isJsonObject(spec.paramKind);
  const composition = createComposition({ hasParams, hasNamed: true });
  return fields({
    spec: fields({
      failurePolicy: alwaysOneOf('Fail', 'Ignore'),
      paramKind,
      matchConstraints: all(matchConstraints, mutableOperations),
      matchConditions: matchConditions(() => createComposition({ hasParams })),
      variables: variables(composition),
      mutations: required(each(mutation(composition)), 'mutations must contain at least one item'),
      reinvocationPolicy: required(oneOf('IfNeeded', 'Never')),
    }),
  })(value, path);
};

const bindingRules: Rule = fields({
  spec: fields({
    policyName,
    paramRef,
    matchResources: all(optional(matchResources), mutableOperations),
  }),
});

const group = 'admissionregistration.k8s.io';

function countMutations(policy: JsonObject): number {
  return listField(objectField(policy, 'spec'), 'mutations').length;
}

/** admissionregistration.k8s.io/v1 MutatingAdmissionPolicy. */
export const mutatingPolicyRules: KindRules = {
  group,
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  columns: policyColumns(countColumn('Mutations', 'How many changes it makes.', countMutations)),
  validate: validation(policyRules),
  defaults: fillPolicy,
};

/** admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding. */
export const mutatingPolicyBindingRules: KindRules = {
  group,
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  columns: bindingColumns,
  validate: validation(bindingRules),
  defaults: fillBinding,
};
