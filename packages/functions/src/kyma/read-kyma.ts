import {
  type KymaFunctionObject,
  kymaFunctionCrd,
  parseKymaFunction,
  toStoredVersion,
} from '@fnlet/api/kyma';
import { errorMessage, hasCode } from '@fnlet/base';
import { compileSchema } from '@fnlet/schema';
import { describeErrors } from '../describe-errors.ts';

/** A Kyma Function in the words of v1alpha2, or why it is none. */
export type KymaReading =
  | { readonly kind: 'read'; readonly owner: KymaFunctionObject }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const schema = compileSchema(kymaFunctionCrd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}, {
  root: 'resource',
});

/** Reads one from the API or from a file, which no API has completed and checked. */
export function readKyma(value: unknown): KymaReading {
  const completed = schema.applyDefaults(toStoredVersion(value));
  const reasons = describeErrors(schema.validate(completed));
  if (reasons.length > 0) return { kind: 'refused', reasons };
  try {
    return { kind: 'read', owner: parseKymaFunction(completed) };
  } catch (error) {
    if (!hasCode(error, 'UnexpectedShape')) throw error;
    return { kind: 'refused', reasons: [errorMessage(error)] };
  }
}
