import { isJsonObject, type JsonObject } from '@fnlet/base';
import { type FieldError, qualifiedNameProblems } from '@fnlet/machinery';
import type { CelComposition } from '@fnlet/schema';
import { createComposition } from '../../admission/admission-expressions.ts';
import { expressionProblem } from '../../admission/match-condition.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { countColumn } from '../cells.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { duplicate, invalid, missing, notSupported } from '../refusal.ts';
import { about, alwaysOneOf, each, fields, optional, type Rule } from '../rule.ts';
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

// admissionregistration/validation: ValidatingAdmissionPolicy and its binding.

const annotationsMax = 20;
const annotationBytesMax = 5120;

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text.trim());
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

const validationRule = (composition: CelComposition): Rule =>
  about((one, path) => {
    const expression = textField(one, 'expression');
    const { message, messageExpression, reason } = one;
    const errors: FieldError[] = [];
    if (expression.trim() === '') {
      errors.push(missing(`${path}.expression`, 'expression is not specified'));
    } else {
      const problem = expressionProblem(composition, expression, { types: ['bool'] });
      if (problem !== undefined) errors.push(invalid(`${path}.expression`, expression, problem));
    }
    errors.push(...messageRule(composition, messageExpression, `${path}.messageExpression`));
    if (typeof message === 'string' && message !== '') {
      const at = `${path}.message`;
      if (message.trim() === '')
        errors.push(invalid(at, message, 'must be non-empty if specified'));
      else if (hasLineBreak(message)) {
        errors.push(invalid(at, message, 'must not contain line breaks'));
      }
    }
    if (reason !== undefined && reason !== null && !reasons.includes(String(reason))) {
      errors.push(notSupported(`${path}.reason`, reason, reasons));
    }
    return errors;
  });

function messageRule(
  composition: CelComposition,
  expression: unknown,
  path: string,
): readonly FieldError[] {
  if (typeof expression !== 'string' || expression === '') return [];
  if (expression.trim() === '') {
    return [invalid(path, expression, 'must be non-empty if specified')];
  }
  const problem = expressionProblem(composition, expression, {
    types: ['string'],
    hasAuthorizer: false,
  });
  return problem === undefined ? [] : [invalid(path, expression, problem)];
}

const auditAnnotations = (composition: CelComposition, policyName: string): Rule =>
  about((one, path) => {
    const key = textField(one, 'key');
    const source = textField(one, 'valueExpression');
    const expression = source.trim();
    const at = `${path}.valueExpression`;
    const keyErrors =
      policyName === ''
        ? [invalid(`${path}.key`, key, 'requires metadata.name be non-empty')]
        : qualifiedNameProblems(`${policyName}/${key}`).map((problem) =>
            invalid(`${path}.key`, `${policyName}/${key}`, problem),
          );
    if (expression === '') {
      return [...keyErrors, missing(at, 'valueExpression is not specified')];
    }
    if (Buffer.byteLength(expression) > annotationBytesMax) {
      const text = `must not exceed ${annotationBytesMax} bytes in length`;
      return [...keyErrors, missing(at, text)];
    }
    const problem = expressionProblem(composition, expression, { types: ['string', 'null'] });
    return [...keyErrors, ...(problem === undefined ? [] : [invalid(at, source, problem)])];
  });

/** Annotations as Go prints a list of them. */
function asGo(spec: JsonObject): readonly JsonObject[] {
  return listField(spec, 'auditAnnotations').map(({ key, valueExpression }) => {
    return { Key: key, ValueExpression: valueExpression };
  });
}

function uniqueKeys(value: unknown, path: string): readonly FieldError[] {
  const keys = (Array.isArray(value) ? value : []).map((one: unknown) =>
    isJsonObject(one) ? textField(one, 'key') : '',
  );
  return keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [duplicate(`${path}[${index}].key`, key)] : [],
  );
}

const policyRules: Rule = (value, path) => {
  const policy = isJsonObject(value) ? value : {};
  const spec = objectField(policy, 'spec');
  const hasParams = isJsonObject(spec.paramKind);
  const hasNamed = listField(spec, 'variables').length > 0;
  const composition = createComposition({ hasParams, hasNamed });
  const hasAny = listField(spec, 'validations').length + listField(spec, 'auditAnnotations').length;
  const nothing = (at: string): readonly FieldError[] => [
    missing(at, 'validations or auditAnnotations must contain at least one item'),
  ];
  return fields({
    spec: fields({
      failurePolicy: alwaysOneOf('Fail', 'Ignore'),
      paramKind,
      matchConstraints,
      matchConditions: matchConditions(() => createComposition({ hasParams })),
      variables: variables(composition),
      validations: (given, at) =>
        hasAny === 0 ? nothing(at) : each(validationRule(composition))(given, at),
      auditAnnotations: (given, at) => {
        if (hasAny === 0) return nothing(at);
        const { name } = objectField(policy, 'metadata');
        const count = Array.isArray(given) ? given.length : 0;
        const text = `must not have more than ${annotationsMax} auditAnnotations`;
        return [
          ...(count > annotationsMax ? [invalid(at, asGo(spec), text)] : []),
          ...each(auditAnnotations(composition, String(name ?? '')))(given, at),
          ...uniqueKeys(given, at),
        ];
      },
    }),
  })(policy, path);
};

const actions: Rule = (value, path) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [];
  const known = ['Audit', 'Deny', 'Warn'];
  const each = given.flatMap((action, index) => [
    ...(known.includes(String(action)) ? [] : [notSupported(`${path}[${index}]`, action, known)]),
    ...(given.indexOf(action) < index ? [duplicate(`${path}[${index}]`, action)] : []),
  ]);
  const why =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  const isDouble = given.includes('Deny') && given.includes('Warn');
  return [
    ...each,
    ...(isDouble ? [invalid(path, given, why)] : []),
    ...(given.length === 0 ? [missing(path, 'at least one validation action is required')] : []),
  ];
};

const bindingRules: Rule = fields({
  spec: fields({
    policyName,
    paramRef,
    matchResources: optional(matchResources),
    validationActions: actions,
  }),
});

const group = 'admissionregistration.k8s.io';

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy. */
export const validatingPolicyRules: KindRules = {
  group,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  columns: policyColumns(
    countColumn(
      'Validations',
      'How many rules it has.',
      (one) => listField(objectField(one, 'spec'), 'validations').length,
    ),
  ),
  validate: validation(policyRules),
  defaults: fillPolicy,
};

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding. */
export const validatingPolicyBindingRules: KindRules = {
  group,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  columns: bindingColumns,
  validate: validation(bindingRules),
  defaults: fillBinding,
};
