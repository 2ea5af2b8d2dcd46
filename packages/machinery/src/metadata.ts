import type { FieldError } from './field-error.ts';
import { annotationBytesMax } from './limits.ts';
import { labelValueProblems, type NameRule, nameProblems, qualifiedNameProblems } from './names.ts';
import { type ObjectMeta, type OwnerReference, parseApiVersion } from './object.ts';

/** What of the metadata depends on the kind. */
export interface MetadataRules {
  /** The rule for the object's name. */
  readonly nameRule: NameRule;
  /** Whether the kind lives in namespaces. */
  readonly namespaced: boolean;
  /**
   * Whether the kind is a builtin one: those accept only Kubernetes' own finalizers without a
   * domain. Default false.
   */
  readonly builtin?: boolean;
}

/**
 * Everything that is wrong with an object's metadata, in Kubernetes' words and order
 * (k8s.io/apimachinery, ValidateObjectMeta). The types of the fields must have been checked before.
 */
export function validateMetadata(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  return [
    ...nameErrors(meta, rules),
    ...namespaceErrors(meta, rules.namespaced),
    ...labelErrors(meta.labels ?? {}),
    ...annotationErrors(meta.annotations ?? {}),
    ...ownerErrors(meta.ownerReferences ?? []),
    ...finalizerErrors(meta.finalizers ?? [], rules.builtin === true),
  ];
}

function invalid(field: string, value: unknown, problem: string): FieldError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${problem}`;
  return { reason: 'FieldValueInvalid', field: `metadata.${field}`, message };
}

function nameErrors(meta: ObjectMeta, { nameRule }: MetadataRules): FieldError[] {
  const errors: FieldError[] = [];
  const base = meta.generateName ?? '';
  if (base !== '') {
    // A base may end in a dash: the random suffix follows it.
    const problems = nameProblems(nameRule, base.replace(/-$/, 'a'));
    errors.push(...problems.map((problem) => invalid('generateName', base, problem)));
  }
  if ((meta.name ?? '') === '') {
    const message = 'Required value: name or generateName is required';
    return [...errors, { reason: 'FieldValueRequired', field: 'metadata.name', message }];
  }
  const problems = nameProblems(nameRule, meta.name);
  return [...errors, ...problems.map((problem) => invalid('name', meta.name, problem))];
}

function namespaceErrors({ namespace = '' }: ObjectMeta, namespaced: boolean): FieldError[] {
  const field = 'metadata.namespace';
  if (!namespaced) {
    if (namespace === '') return [];
    return [
      { reason: 'FieldValueForbidden', field, message: 'Forbidden: not allowed on this type' },
    ];
  }
  if (namespace === '') return [{ reason: 'FieldValueRequired', field, message: 'Required value' }];
  const problems = nameProblems('dns1123Label', namespace);
  return problems.map((problem) => invalid('namespace', namespace, problem));
}

function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid('labels', key, problem)),
    ...labelValueProblems(value).map((problem) => invalid('labels', value, problem)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // Upper case is accepted in the prefix of annotations, for old clients' sake.
    const problems = qualifiedNameProblems(key.toLowerCase());
    errors.push(...problems.map((problem) => invalid('annotations', key, problem)));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > annotationBytesMax) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: `Too long: may not be more than ${annotationBytesMax} bytes`,
    });
  }
  return errors;
}

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    errors.push(...ownerReferenceErrors(owner));
    if (owner.controller !== true) continue;
    const found = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      const problem =
        'Only one reference can have Controller set to true. ' +
        `Found "true" in references for ${controller} and ${found}`;
      errors.push(invalid('ownerReferences', owners, problem));
    }
    controller ??= found;
  }
  return errors;
}

function ownerReferenceErrors(owner: OwnerReference): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion = '' } = owner;
  if (parseApiVersion(apiVersion).version === '') {
    const problem = 'version must not be empty';
    errors.push(invalid('ownerReferences.apiVersion', apiVersion, problem));
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if ((owner[field] ?? '') !== '') continue;
    errors.push(invalid(`ownerReferences.${field}`, '', 'must not be empty'));
  }
  if (apiVersion === 'v1' && owner.kind === 'Event') {
    const problem = '/v1, Kind=Event is disallowed from being an owner';
    errors.push(invalid('ownerReferences', owner, problem));
  }
  return errors;
}

const standardFinalizers: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

function finalizerErrors(finalizers: readonly string[], builtin: boolean): FieldError[] {
  const errors: FieldError[] = [];
  finalizers.forEach((finalizer, index) => {
    const field = `finalizers[${index}]`;
    const problems = qualifiedNameProblems(finalizer);
    errors.push(...problems.map((problem) => invalid(field, finalizer, problem)));
    if (builtin && !finalizer.includes('/') && !standardFinalizers.includes(finalizer)) {
      const problem = 'name is neither a standard finalizer name nor is it fully qualified';
      errors.push(invalid(field, finalizer, problem));
    }
  });
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const problem = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalid('finalizers', finalizers, problem));
  }
  return errors;
}
