import { type StatusError, statusError } from './status.ts';

/** What is wrong with a field; the words of k8s.io/apimachinery's field.ErrorType. */
export type FieldErrorReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid';

/** One refused field. `message` is the whole text after the path, as kubectl prints it. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Path such as `spec.scale.min`, `spec.env[0].name`, `metadata.labels[a/b]`. */
  readonly field: string;
  readonly message: string;
}

/**
 * The 422 answer for an object with wrong fields, in Kubernetes' own words:
 * `Function.fnlet.dev "hello" is invalid: spec.runtime: Required value`.
 */
export function invalidError(
  type: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const groupKind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const texts = errors.map((error) => `${error.field}: ${error.message}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return statusError('Invalid', `${groupKind} "${name}" is invalid: ${text}`, {
    // Go leaves out what is empty.
    ...(name === '' ? {} : { name }),
    ...(type.group === '' ? {} : { group: type.group }),
    ...(type.kind === '' ? {} : { kind: type.kind }),
    causes: errors.map(({ reason, field, message }) => ({ reason, message, field })),
  });
}
