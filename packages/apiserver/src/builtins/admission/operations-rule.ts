import type { FieldError } from '@fnlet/machinery';
import { invalid, missing } from '../refusal.ts';
import { all, each, fields, oneOf, type Rule, required } from '../rule.ts';

/** Either everything, or what is listed. */
function wildcardAlone(what: string): Rule {
  return required((value, path) => {
    if (!Array.isArray(value) || value.length < 2 || !value.includes('*')) return [];
    return [invalid(path, value, `if '*' is present, must not specify other ${what}`)];
  });
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** No entry may be part of what another one means already. */
const resources: Rule = (value, path) => {
  const given = Array.isArray(value) ? value.map(String) : [];
  if (given.length === 0) return [missing(path)];
  const parts = given.map((text) => text.split(/\/(.*)/s, 2));
  const isBare = ([resource, part]: readonly (string | undefined)[]): boolean =>
    part === undefined && resource !== '' && resource !== '*';
  const covered = given.flatMap((text, index) => {
    const [resource, part] = parts[index] ?? [];
    const at = `${path}[${index}]`;
    if (text === '') return [missing(at)];
    if (part === undefined) return [];
    const before = given.slice(0, index);
    return [`${resource}/*`, `*/${part}`]
      .filter((all) => before.includes(all))
      .map((all) => invalid(at, text, `if '${all}' is present, must not specify ${text}`));
  });
  const others = (what: string, rest = ''): FieldError =>
    invalid(path, given, `if '${what}' is present, must not specify other resources${rest}`);
  return [
    ...covered,
    ...(given.length > 1 && given.includes('*/*') ? [others('*/*')] : []),
    ...(given.includes('*') && isBare(parts.findLast(([, part]) => part === undefined) ?? [])
      ? [others('*', ' without subresources')]
      : []),
  ];
};

/** admissionregistration.k8s.io/v1 RuleWithOperations: which requests somebody is asked about. */
export const operationsRule: Rule = fields({
  operations: all(wildcardAlone('operations'), each(oneOf(...operations))),
  apiGroups: wildcardAlone('API groups'),
  apiVersions: all(wildcardAlone('API versions'), each(required())),
  resources,
  scope: oneOf('*', 'Cluster', 'Namespaced'),
});
