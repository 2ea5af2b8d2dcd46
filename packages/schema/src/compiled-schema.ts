import type { FieldError, FieldType, JsonSchema } from '@fnlet/machinery';
import { compileRuleCheck } from './cel-rules.ts';
import { uncorrelated } from './correlation.ts';
import { compileDefaulting } from './defaulting.ts';
import { compileEmbeddedCheck } from './embedded-check.ts';
import { invalidField } from './field-message.ts';
import { compileListCheck } from './list-uniqueness.ts';
import { compilePruning } from './pruning.ts';
import { resourceFieldType, structuralFieldType } from './structural-field-type.ts';
import { compileRatchetedValidation } from './value-validation.ts';

/** A schema made ready for use: every question about a value that it answers. */
export interface CompiledSchema {
  /**
   * What is wrong with `value`; empty when it is valid. With `old`, the value before the update,
   * transition rules run as well, and what was wrong before and did not change is tolerated
   * (ratcheting, KEP-4008). Metadata of a resource is validated elsewhere.
   */
  validate(value: unknown, old?: unknown): readonly FieldError[];
  /**
   * The value with the defaults of its missing fields. The result shares what did not change with
   * `value` and is `value` itself when nothing did; defaults in it are frozen.
   */
  applyDefaults(value: unknown): unknown;
  /** The value without the fields that the schema does not know, and the paths of those, sorted. */
  prune(value: unknown): { readonly value: unknown; readonly unknownFields: readonly string[] };
  /** How the value is merged by server-side apply. */
  readonly fieldType: FieldType;
}

export interface CompileSchemaOptions {
  /**
   * `'resource'`: the schema is that of a whole object, of which apiVersion, kind and metadata are
   * always known, typed as Kubernetes does, and never pruned. Default: the schema says everything.
   */
  readonly root?: 'resource';
  /**
   * Whether items of sets and maps may repeat: builtin kinds of Kubernetes only say how their lists
   * are merged, and check by themselves what must be unique. Default: repeated items are refused.
   */
  readonly duplicates?: 'allowed';
}

/**
 * Compiles a structural schema to closures, each question when it is first asked: a kind that is
 * only read needs no rules. Do it once and keep the result; the schema must not change. It never
 * throws: a schema with mistakes (see `checkStructural`) checks what it can, and a CEL rule that
 * does not compile refuses every value.
 *
 * @example
 * const schema = compileSchema({ type: 'object', properties: { n: { type: 'integer' } } });
 * schema.validate({ n: 'x' }); // [{ field: 'n', message: 'Invalid value: "string": …' }]
 */
export function compileSchema(
  schema: JsonSchema,
  options: CompileSchemaOptions = {},
): CompiledSchema {
  const { root } = options;
  let validate: CompiledSchema['validate'] | undefined;
  let applyDefaults: CompiledSchema['applyDefaults'] | undefined;
  let prune: ReturnType<typeof compilePruning> | undefined;
  let fieldType: FieldType | undefined;
  return {
    validate(value, old) {
      validate ??= compileValidation(schema, options);
      return validate(value, old);
    },
    applyDefaults(value) {
      applyDefaults ??= compileDefaulting(structuredClone(schema));
      return applyDefaults(value);
    },
    prune(value) {
      prune ??= compilePruning(schema, root);
      const unknownFields: string[] = [];
      return { value: prune(value, '', unknownFields), unknownFields: unknownFields.sort() };
    },
    get fieldType(): FieldType {
      fieldType ??= root === 'resource' ? resourceFieldType(schema) : structuralFieldType(schema);
      return fieldType;
    },
  };
}

/** Errors after which CEL rules could not rely on the shape of the value (hasBlockingErr). */
const blockingReasons: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const unchecked =
  'some validation rules were not checked because the object was invalid; correct the ' +
  'existing errors to complete validation';

function compileValidation(
  schema: JsonSchema,
  { root, duplicates }: CompileSchemaOptions,
): CompiledSchema['validate'] {
  const checkValue = compileRatchetedValidation(schema);
  const checkEmbedded = compileEmbeddedCheck(schema);
  const checkLists = duplicates === 'allowed' ? undefined : compileListCheck(schema);
  const checkRules = compileRuleCheck(schema, root === 'resource');
  return (value, old) => {
    const errors: FieldError[] = [];
    checkValue(value, old === undefined ? uncorrelated : old, '', errors);
    checkEmbedded?.(value, '', errors);
    if (checkLists !== undefined) {
      const found: FieldError[] = [];
      checkLists(value, '', found);
      if (found.length > 0 && !hadListErrors(checkLists, old)) errors.push(...found);
    }
    if (checkRules === undefined) return errors;
    if (errors.some((error) => blockingReasons.has(error.reason))) {
      errors.push(invalidField('', null, unchecked));
    } else {
      checkRules(value, old === undefined ? uncorrelated : old, errors);
    }
    return errors;
  };
}

// Duplicates are tolerated as long as the old object had some too, as upstream does.
function hadListErrors(
  check: NonNullable<ReturnType<typeof compileListCheck>>,
  old: unknown,
): boolean {
  if (old === undefined) return false;
  const errors: FieldError[] = [];
  check(old, '', errors);
  return errors.length > 0;
}
