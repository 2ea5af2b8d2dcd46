import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { childPath, requiredField } from './field-message.ts';

/**
 * Whatever a junctor at the root speaks of must be specified outside of junctors too, because
 * pruning and defaulting do not look into junctors. Like apiextensions (schema/complete.go) it
 * does not look at the junctors of fields, so that the same definitions are accepted.
 */
export function checkCompleteness(schema: JsonSchema, path: string): readonly FieldError[] {
  return checkJunctors({ schema, structure: schema, path, structurePath: path });
}

interface Pair {
  /** What restricts, and where it stands. */
  readonly schema: JsonSchema;
  readonly path: string;
  /** What it restricts; undefined when that is specified nowhere. */
  readonly structure: JsonSchema | undefined;
  readonly structurePath: string;
}

function checkJunctors(pair: Pair): readonly FieldError[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = pair.schema;
  const nested = (schema: JsonSchema, field: string): readonly FieldError[] =>
    checkNested({ ...pair, schema, path: childPath(pair.path, field) });
  return [
    ...(not === undefined ? [] : nested(not, 'not')),
    ...allOf.flatMap((schema, i) => nested(schema, `allOf[${i}]`)),
    ...anyOf.flatMap((schema, i) => nested(schema, `anyOf[${i}]`)),
    ...oneOf.flatMap((schema, i) => nested(schema, `oneOf[${i}]`)),
  ];
}

function checkNested(pair: Pair): readonly FieldError[] {
  const { schema, structure, path, structurePath } = pair;
  if (structure === undefined) {
    return [requiredField(structurePath, `because it is defined in ${path}`)];
  }
  const errors = [...checkJunctors(pair)];
  if (schema.items !== undefined) {
    errors.push(
      ...checkNested({
        schema: schema.items,
        structure: structure.items,
        path: childPath(path, 'items'),
        structurePath: childPath(structurePath, 'items'),
      }),
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = `properties[${name}]`;
    errors.push(
      ...checkNested({
        schema: property,
        structure: structure.properties?.[name],
        path: childPath(path, field),
        structurePath: childPath(structurePath, field),
      }),
    );
  }
  return errors;
}
