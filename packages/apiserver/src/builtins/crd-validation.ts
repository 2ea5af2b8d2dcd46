import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { type FieldError, type KubeObject, nameProblems } from '@fnlet/machinery';
import { listField, objectField, textField } from '../object/object-form.ts';
import { immutableField } from '../object/validate-object.ts';
import { reviewVersions, webhookClient } from './admission/webhook-client-rule.ts';
import { versionErrors } from './crd-version-validation.ts';
import { forbidden, invalid, missing, notSupported } from './refusal.ts';

/**
 * What is wrong with a definition (apiextensions, validation). A spec that stands is not looked at
 * again: it was when it came, and every start and every status would pay for compiling its rules.
 */
export function crdErrors(
  definition: KubeObject,
  old: KubeObject | undefined,
): readonly FieldError[] {
  const spec = objectField(definition, 'spec');
  const versions = listField(spec, 'versions');
  const kept = keptVersionErrors(definition, versions);
  if (old !== undefined && jsonEqual(spec, objectField(old, 'spec'))) return kept;
  return [
    ...groupErrors(definition, spec, old === undefined),
    ...nameErrors(objectField(spec, 'names')),
    ...choiceErrors(spec),
    ...versionErrors(versions, listField(objectField(old ?? {}, 'spec'), 'versions')),
    ...storageErrors(spec, versions),
    ...conversionErrors(spec),
    ...(old === undefined ? [] : immutableErrors(spec, old)),
    ...kept,
  ];
}

function groupErrors(
  { metadata }: KubeObject,
  spec: JsonObject,
  isNew: boolean,
): readonly FieldError[] {
  const group = textField(spec, 'group');
  const plural = textField(objectField(spec, 'names'), 'plural');
  const problems = nameProblems('dns1123Subdomain', group);
  const errors: FieldError[] = [];
  if (isNew && metadata.name !== `${plural}.${group}`) {
    errors.push(
      invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'),
    );
  }
  if (group === '') errors.push(missing('spec.group'));
  else if (problems.length > 0) errors.push(invalid('spec.group', group, problems.join(',')));
  else if (!group.includes('.')) {
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  }
  return isNew ? [...errors, ...approvalErrors(group, metadata.annotations ?? {})] : errors;
}

const approval = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes community are for what it has reviewed (kubernetes/enhancements#1111). */
function approvalErrors(
  group: string,
  annotations: Readonly<Record<string, string>>,
): readonly FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const field = `metadata.annotations[${approval}]`;
  const text = `protected groups must have approval annotation "${approval}"`;
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  const given = annotations[approval];
  if (given === undefined) {
    return [missing(field, `${text}, ${see}`)];
  }
  if (given.startsWith('unapproved') || /^https?:\/\/[^/]+/.test(given)) return [];
  const kinds = 'with either a URL or a reason starting with "unapproved"';
  return [invalid(field, given, `${text} ${kinds}, ${see}`)];
}

function nameErrors(names: JsonObject): readonly FieldError[] {
  const path = 'spec.names';
  const label = (field: string, value: string): readonly FieldError[] => {
    const problems = value === '' ? [] : nameProblems('dns1035Label', value);
    return problems.length === 0 ? [] : [invalid(`${path}.${field}`, value, problems.join(','))];
  };
  const needed = (field: string): readonly FieldError[] =>
    textField(names, field) === '' ? [missing(`${path}.${field}`)] : [];
  const kind = (field: string): readonly FieldError[] => {
    const value = textField(names, field);
    const problems = value === '' ? [] : nameProblems('dns1035Label', value.toLowerCase());
    const text = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    return problems.length === 0 ? [] : [invalid(`${path}.${field}`, value, text)];
  };
  const labels = (field: string): readonly FieldError[] => {
    const values: unknown = names[field];
    return Array.isArray(values)
      ? values.flatMap((value, index) => label(`${field}[${index}]`, String(value)))
      : [];
  };
  const { kind: name, listKind } = names;
  const text = 'kind and listKind may not be the same';
  return [
    ...['plural', 'kind'].flatMap(needed),
    ...['plural', 'singular'].flatMap((field) => label(field, textField(names, field))),
    ...['kind', 'listKind'].flatMap(kind),
    ...['shortNames', 'categories'].flatMap(labels),
    ...(name === listKind && name !== '' ? [invalid(`${path}.listKind`, listKind, text)] : []),
  ];
}

function choiceErrors(spec: JsonObject): FieldError[] {
  const scope = textField(spec, 'scope');
  if (scope === '') return [missing('spec.scope')];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  return [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function storageErrors(spec: JsonObject, versions: readonly JsonObject[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    errors.push(invalid('spec.versions', names, 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    errors.push(invalid('spec.versions', names, text));
  }
  if (versions.every(({ storage }) => storage !== true)) {
    const text = 'must have at least one stored version';
    errors.push(invalid('status.storedVersions', null, text));
  }
  if (spec.preserveUnknownFields === true) {
    const text = 'must be set to false to create this CustomResourceDefinition';
    errors.push(invalid('spec.preserveUnknownFields', true, text));
  }
  return errors;
}

/** A version that objects may still be kept in cannot go before its name leaves the status. */
function keptVersionErrors(
  { status }: KubeObject,
  versions: readonly JsonObject[],
): readonly FieldError[] {
  const kept: unknown = isJsonObject(status) ? status.storedVersions : undefined;
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((name: unknown, index) => {
    if (versions.some((version) => version.name === name)) return [];
    const text =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
      `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
      `removes ${name} from status.storedVersions`;
    return [invalid(`status.storedVersions[${index}]`, name, text)];
  });
}

function conversionErrors(spec: JsonObject): FieldError[] {
  const conversion = objectField(spec, 'conversion');
  const strategy = textField(conversion, 'strategy');
  if (strategy === 'None' || strategy === '') {
    if (conversion.webhook === undefined) return [];
    const text = 'should not be set when strategy is not set to Webhook';
    return [forbidden('spec.conversion.webhookClientConfig', text)];
  }
  if (strategy !== 'Webhook') {
    return [notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  }
  // The paths are those of the internal type, in which the webhook has no level of its own.
  const path = 'spec.conversion.webhookClientConfig';
  const { clientConfig, conversionReviewVersions } = objectField(conversion, 'webhook');
  if (!isJsonObject(clientConfig)) {
    return [missing(path, 'required when strategy is set to Webhook')];
  }
  const versions = 'spec.conversion.conversionReviewVersions';
  return [
    ...webhookClient(clientConfig, path),
    ...reviewVersions('must specify one of v1, v1beta1')(conversionReviewVersions, versions),
  ];
}

function immutableErrors(spec: JsonObject, old: KubeObject): readonly FieldError[] {
  const before = objectField(old, 'spec');
  const established = listField(objectField(old, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const group = immutableField('spec.group', spec.group, before.group);
  if (!established) return group;
  const names = objectField(spec, 'names');
  const namesBefore = objectField(before, 'names');
  return [
    ...immutableField('spec.scope', spec.scope, before.scope),
    ...immutableField('spec.names.kind', names.kind, namesBefore.kind),
    ...group,
    ...immutableField('spec.names.plural', names.plural, namesBefore.plural),
  ];
}
