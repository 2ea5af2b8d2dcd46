import { isJsonObject } from '@fnlet/base';
import { type FieldError, nameProblems } from '@fnlet/machinery';
import type { CelComposition } from '@fnlet/schema';
import { textField } from '../../object/object-form.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { duplicate, forbidden, invalid, missing } from '../refusal.ts';
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
import { operationsRule } from './operations-rule.ts';

// admissionregistration/validation: what policies that validate and those that mutate have in common.

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

/** Which requests a policy or a binding is about. */
export const matchResources: Readonly<Record<string, Rule>> = {
  matchPolicy: alwaysOneOf('Equivalent', 'Exact'),
  namespaceSelector: labelSelector,
  objectSelector: labelSelector,
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
};

/** The kind of what configures a policy. */
export const paramKind: Rule = optional({
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
export const variables =
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

/** Which requests a policy is about: some resource must be named, which gives it its types. */
export const matchConstraints: Rule = (value, path) =>
  isJsonObject(value)
    ? fields({
        ...matchResources,
        resourceRules: (rules, at) => [
          ...each(namedRule)(rules, at),
          ...(Array.isArray(rules) && rules.length > 0 ? [] : [missing(at)]),
        ],
      })(value, path)
    : [missing(path)];

/** The policy of a binding. */
export const policyName: Rule = required((value, path) =>
  nameProblems('dns1123Subdomain', String(value)).map((problem) => invalid(path, value, problem)),
);

/** What configures a policy for a binding. */
export const paramRef: Rule = (value, path) => {
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
