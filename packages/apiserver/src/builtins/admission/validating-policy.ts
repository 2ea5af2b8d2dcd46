import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  type FieldError,
  formatLabelSelector,
  type KubeObject,
  labelSelectorFromSpec,
  nameProblems,
  qualifiedNameProblems,
} from '@fnlet/machinery';
import type { CelComposition } from '@fnlet/schema';
import { createComposition } from '../../admission/admission-expressions.ts';
import { expressionProblem } from '../../admission/match-condition.ts';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { column, countColumn, specText } from '../cells.ts';
import { change, changeItems, changeSpec, fill } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { duplicate, forbidden, invalid, missing, notSupported } from '../refusal.ts';
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
import { operationsRule } from './operations-rule.ts';

// admissionregistration/validation: ValidatingAdmissionPolicy and its binding.

const annotationsMax = 20;
const annotationBytesMax = 5120;

const resourceNames: Rule = (value, path) => {
  const names = Array.isArray(value) ? value.map(String) : [];
  return names.flatMap((name, index) => [
    ...nameProblems('pathSegment', name).map((problem) =>
      invalid(`${path}[${index}]`, name, problem),
    ),
    ...(names.indexOf(name) < index ? [duplicate(`${path}[${index}]`, name)] : []),
  ]);
};

const namedRule: Rule = all(fields({ resourceNames }), operationsRule);

const matchResources: Readonly<Record<string, Rule>> = {
  matchPolicy: alwaysOneOf('Equivalent', 'Exact'),
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
};

const paramKind: Rule = optional({
  apiVersion: required((value, path) => {
    const parts = String(value).split('/');
    if (parts.length > 2) {
      return [invalid(path, value, `unexpected GroupVersion string: ${value}`)];
    }
    const [version = '', group = ''] = parts.toReversed();
    const groupProblems = group === '' ? [] : nameProblems('dns1123Subdomain', group);
    return [
      ...(groupProblems.length === 0 ? [] : [invalid(path, group, groupProblems.join(','))]),
      ...versionProblems(value, version, path),
    ];
  }),
  kind: required((value, path) => {
    const problems = nameProblems('dns1035Label', String(value).toLowerCase());
    const text = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    return problems.length === 0 ? [] : [invalid(path, value, text)];
  }),
});

function versionProblems(value: unknown, version: string, path: string): readonly FieldError[] {
  if (version === '') return [invalid(path, value, 'version must be specified')];
  const problems = nameProblems('dns1035Label', version);
  return problems.length === 0 ? [] : [invalid(path, version, problems.join(','))];
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for'],
  ...['function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var'],
  ...['void', 'while'],
]);

const variableName: Rule = (value, path) => {
  const name = String(value ?? '');
  if (name.trim() === '') return [missing(path, 'name is not specified')];
  if (identifier.test(name) && !reserved.has(name)) return [];
  return [invalid(path, name, 'must be a valid CEL identifier')];
};

/** Names each variable for the expressions that come after it. */
const variables =
  (composition: CelComposition): Rule =>
  (value, path) =>
    each(
      about((variable, at) => {
        const [name, expression] = [textField(variable, 'name'), textField(variable, 'expression')];
        const expressionPath = `${at}.expression`;
        const problems =
          expression.trim() === ''
            ? [missing(expressionPath, 'expression is not specified')]
            : compiled(composition.define(name, expression), expression, expressionPath);
        return [...variableName(name, `${at}.name`), ...problems];
      }),
    )(value, path);

function compiled(
  problem: string | undefined,
  expression: string,
  path: string,
): readonly FieldError[] {
  return problem === undefined ? [] : [invalid(path, expression, `compilation failed: ${problem}`)];
}

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
      matchConstraints: (given, at) =>
        isJsonObject(given)
          ? fields({
              ...matchResources,
              resourceRules: (rules, where) => [
                ...each(namedRule)(rules, where),
                ...(Array.isArray(rules) && rules.length > 0 ? [] : [missing(where)]),
              ],
            })(given, at)
          : [missing(at)],
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

const paramRef: Rule = (value, path) => {
  if (!isJsonObject(value)) return [];
  const name = textField(value, 'name');
  const exclusive = 'name and selector are mutually exclusive';
  const isBoth = name !== '' && isJsonObject(value.selector);
  return [
    ...(name === ''
      ? []
      : nameProblems('pathSegment', name).map((problem) => invalid(`${path}.name`, name, problem))),
    ...(isBoth ? [forbidden(`${path}.name`, exclusive)] : []),
    ...labelSelector(value.selector, `${path}.selector`),
    ...(isBoth ? [forbidden(`${path}.selector`, exclusive)] : []),
    ...(name === '' && !isJsonObject(value.selector)
      ? [missing(path, 'one of name or selector must be specified')]
      : []),
    ...required(oneOf('Deny', 'Allow'))(
      value.parameterNotFoundAction,
      `${path}.parameterNotFoundAction`,
    ),
  ];
};

const bindingRules: Rule = fields({
  spec: fields({
    policyName: required((value, path) =>
      nameProblems('dns1123Subdomain', String(value)).map((problem) =>
        invalid(path, value, problem),
      ),
    ),
    paramRef,
    matchResources: optional(matchResources),
    validationActions: actions,
  }),
});

function fillMatchResources(given: JsonObject): JsonObject {
  // A pointer to the empty text is one that was given.
  const defaults = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  const whole = { ...defaults, ...given };
  const scoped = (one: JsonObject, field: string): JsonObject =>
    changeItems(one, field, (rule) => fill(rule, { scope: '*' }));
  return scoped(scoped(whole, 'resourceRules'), 'excludeResourceRules');
}

const group = 'admissionregistration.k8s.io';

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

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy. */
export const validatingPolicyRules: KindRules = {
  group,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  columns: [
    nameColumn,
    countColumn(
      'Validations',
      'How many rules it has.',
      (one) => listField(objectField(one, 'spec'), 'validations').length,
    ),
    column('ParamKind', 'The kind of what configures it.', shownParamKind),
    ageColumn,
  ],
  validate: validation(policyRules),
  defaults: (policy) =>
    changeSpec(policy, (spec) =>
      change({ failurePolicy: 'Fail', ...spec }, 'matchConstraints', fillMatchResources),
    ),
};

/** admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding. */
export const validatingPolicyBindingRules: KindRules = {
  group,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  columns: [
    nameColumn,
    column('PolicyName', 'The policy that it makes count.', specText('policyName')),
    column('ParamRef', 'What configures the policy for it.', shownParamRef),
    ageColumn,
  ],
  validate: validation(bindingRules),
  defaults: (binding) =>
    changeSpec(binding, (spec) => change(spec, 'matchResources', fillMatchResources)),
};
