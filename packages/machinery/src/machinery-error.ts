import { FnletError } from '@fnlet/base';

/**
 * What can be wrong with a text or a document that the grammar reads.
 *
 * - `InvalidSelector`: a label or field selector cannot be parsed (HTTP 400).
 * - `InvalidPatch`: the document is not a patch (HTTP 400).
 * - `PatchTooLarge`: more operations, or more copied bytes, than a patch may have (HTTP 413).
 * - `PatchNotApplicable`: the patch names a place that the object does not have (HTTP 422).
 * - `PatchTestFailed`: a `test` operation found another value (HTTP 422).
 * - `InvalidJsonPath`: a JSONPath cannot be parsed.
 * - `InvalidFieldSet`: a `fieldsV1` document cannot be parsed.
 * - `InvalidTypedValue`: an object does not fit the type that it is merged by (HTTP 500 in
 *   Kubernetes, which reports these as "failed to create typed patch object").
 */
export type MachineryErrorCode =
  | 'InvalidSelector'
  | 'InvalidPatch'
  | 'PatchTooLarge'
  | 'PatchNotApplicable'
  | 'PatchTestFailed'
  | 'InvalidJsonPath'
  | 'InvalidFieldSet'
  | 'InvalidTypedValue';

/**
 * The operating error of this room. Where Kubernetes has a text of its own for what happened, the
 * message is that text, because kubectl prints it verbatim.
 */
export class MachineryError extends FnletError<MachineryErrorCode> {
  override readonly name = 'MachineryError';
}
