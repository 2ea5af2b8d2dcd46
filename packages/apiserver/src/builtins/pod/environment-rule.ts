import { isJsonObject } from '@fnlet/base';
import { type FieldError, formatQuantity, nameProblems, parseQuantity } from '@fnlet/machinery';
import { textField } from '../../object/object-form.ts';
import { dataKey, named, qualifiedName, variableName } from '../form.ts';
import { invalid, missing, notSupported } from '../refusal.ts';
import { about, all, each, fields, isUnset, optional, type Rule, required } from '../rule.ts';

// core/v1 EnvVar and EnvFromSource: where environment variables come from.

/** Fields of the Pod that a variable may hold; `metadata.labels['x']` besides. */
const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Fields of the Pod that a file may hold. */
const fileFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const containerResources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** The reference to a field of the Pod itself. */
function podField(known: readonly string[]): Rule {
  return about((reference, path) => {
    if (isUnset(reference.apiVersion)) return [missing(`${path}.apiVersion`)];
    const fieldPath = textField(reference, 'fieldPath');
    if (fieldPath === '') return [missing(`${path}.fieldPath`)];
    const subscript = /^(metadata\.(?:labels|annotations))\['([^']*)'\]$/.exec(fieldPath)?.[2];
    if (subscript !== undefined) return qualifiedName(subscript.toLowerCase(), path);
    if (known.includes(fieldPath)) return [];
    if (![...variableFields, ...fileFields].includes(fieldPath)) {
      const text = `error converting fieldPath: field label not supported: ${fieldPath}`;
      return [invalid(`${path}.fieldPath`, fieldPath, text)];
    }
    return [notSupported(`${path}.fieldPath`, fieldPath, known)];
  });
}

/** The reference to a field of the Pod from a variable. */
export const variableField: Rule = podField(variableFields);

/** The reference to a field of the Pod from a file. */
export const fileField: Rule = podField(fileFields);

const coreDivisors = ['1m', '1'];
const byteDivisors = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

/** What a number may be divided by, before a container gets it. */
const divisor: Rule = about(({ resource, divisor: given }, path) => {
  const quantity = parseQuantity(String(given ?? '0'));
  if (quantity === undefined || quantity.nano === 0n) return [];
  const text = formatQuantity(quantity);
  const kind = String(resource).replace(/^(limits|requests)\./, '');
  const refuse = (known: string, what: string): readonly FieldError[] => {
    const problem = `only divisor's values ${known} are supported with the ${what} resource`;
    return [invalid(`${path}.divisor`, resource, problem)];
  };
  if (kind === 'cpu') return coreDivisors.includes(text) ? [] : refuse('1m and 1', 'cpu');
  if (byteDivisors.split(', ').includes(text)) return [];
  const names: Readonly<Record<string, string>> = {
    memory: 'memory',
    'ephemeral-storage': 'local ephemeral storage',
  };
  const what = kind.startsWith('hugepages-') ? 'hugepages' : names[kind];
  return what === undefined ? [] : refuse(byteDivisors, what);
});

/** The reference to what a container needs or may use. */
export const containerResource: Rule = all(
  fields({
    resource: required((value, path) =>
      containerResources.includes(String(value)) ||
      /^(limits|requests)\.hugepages-/.test(`${value}`)
        ? []
        : [notSupported(path, value, containerResources)],
    ),
  }),
  divisor,
);

// Unlike elsewhere, a missing name is one of the wrong form.
const objectName: Rule = (value, path) => [
  ...nameProblems('dns1123Subdomain', String(value ?? '')).map((problem) =>
    invalid(path, value ?? '', problem),
  ),
];

const keyReference = fields({
  name: objectName,
  key: required(dataKey),
});

const sources: Readonly<Record<string, Rule>> = {
  fieldRef: variableField,
  resourceFieldRef: containerResource,
  configMapKeyRef: keyReference,
  secretKeyRef: keyReference,
  fileKeyRef: fields({ volumeName: required(), path: required(), key: required() }),
};

const oneSource: Rule = about((variable, path) => {
  const { valueFrom } = variable;
  if (!isJsonObject(valueFrom)) return [];
  const at = `${path}.valueFrom`;
  const given = Object.entries(sources).filter(([name]) => !isUnset(valueFrom[name]));
  const errors = given.flatMap(([name, rule]) => rule(valueFrom[name], `${at}.${name}`));
  if (given.length === 0) {
    const names =
      '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [...errors, invalid(at, '', `must specify one of: ${names}`)];
  }
  if (textField(variable, 'value') !== '') {
    return [...errors, invalid(at, '', 'may not be specified when `value` is not empty')];
  }
  if (given.length === 1) return errors;
  return [...errors, invalid(at, '', 'may not have more than one field specified at a time')];
});

/** The variables of a container. */
export const environment: Rule = each(all(fields({ name: required(variableName) }), oneSource));

const wholeObject = optional({ name: required(named('dns1123Subdomain')) });

/** Told at the list, not at the item. */
const oneObject: Rule = about(({ configMapRef, secretRef }, at) => {
  const path = at.replace(/\[\d+\]$/, '');
  const given = [configMapRef, secretRef].filter((source) => !isUnset(source)).length;
  if (given === 1) return [];
  const problem =
    given === 0
      ? 'must specify one of: `configMapRef` or `secretRef`'
      : 'may not have more than one field specified at a time';
  return [invalid(path, '', problem)];
});

/** The objects whose keys all become variables. */
export const environmentSources: Rule = each(
  all(
    fields({ prefix: variableName, configMapRef: wholeObject, secretRef: wholeObject }),
    oneObject,
  ),
);
