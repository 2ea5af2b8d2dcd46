import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { checkCompleteness } from './structural-completeness.ts';
import { checkDefaults } from './structural-default.ts';
import { checkExtensions } from './structural-extension.ts';
import { checkForm } from './structural-form.ts';
import { checkRules, type PassedRules } from './structural-rule.ts';
import { checkShape } from './structural-shape.ts';

export interface StructuralOptions {
  /** Where the schema stands. Default: it is the root. */
  readonly path?: string;
  /** Whether it stood before. Default false. */
  readonly isKnown?: boolean;
  /** Rules that need not be compiled again. Default: none. */
  readonly passed?: PassedRules;
}

/**
 * What keeps a schema from being the schema of a CustomResourceDefinition: it must be structural
 * (every field typed outside of junctors), its defaults must be valid and pruned, its list types
 * sound, its CEL rules must compile, and be cheap. Texts are those of apiextensions; `path` is where the
 * schema stands, such as `spec.validation.openAPIV3Schema`. Default: the schema itself is the root.
 * Rules must not cost too much; of a schema that stood before (`isKnown`, default false) only all of
 * them together are looked at again.
 *
 * The schema may come straight from a user: what is no schema at all is reported too.
 */
export function checkStructural(
  schema: JsonSchema,
  options: StructuralOptions = {},
): readonly FieldError[] {
  const { path = '', isKnown = false, passed = new Map() } = options;
  const shape = checkShape(schema, path);
  if (shape.length > 0) return shape;
  const structural = [...checkForm(schema, path), ...checkCompleteness(schema, path)].sort(byText);
  const defaults = structural.length > 0 ? [] : checkDefaults(schema, path);
  const extensions = checkExtensions(schema, path);
  const errors = [...structural, ...defaults, ...extensions];
  // A rule over a schema with mistakes would only give errors that follow from those.
  return errors.length > 0 ? errors : checkRules(schema, path, { isKnown, passed });
}

function byText(a: FieldError, b: FieldError): number {
  const [left, right] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`];
  return left < right ? -1 : left > right ? 1 : 0;
}
