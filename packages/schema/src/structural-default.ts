import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { compileSchema } from './compiled-schema.ts';
import { childPath, forbiddenField, invalidField } from './field-message.ts';

/** Defaults must be valid where they stand and hold no unknown fields. */
export function checkDefaults(schema: JsonSchema, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = `${childPath(path, 'properties')}[${name}]`;
    const isTypeMeta = ['apiVersion', 'kind', 'metadata'].includes(name);
    errors.push(
      ...(isTypeMeta ? forbidDefaults(property, field, name) : checkPlace(property, field)),
    );
  }
  return errors;
}

function checkPlace(schema: JsonSchema, path: string): readonly FieldError[] {
  const own = schema.default === undefined ? [] : checkDefault(schema, childPath(path, 'default'));
  const ofItems =
    schema.items === undefined ? [] : checkPlace(schema.items, childPath(path, 'items'));
  const { additionalProperties } = schema;
  const ofOthers =
    typeof additionalProperties === 'object'
      ? checkPlace(additionalProperties, childPath(path, 'additionalProperties'))
      : [];
  const ofFields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    checkPlace(property, `${childPath(path, 'properties')}[${name}]`),
  );
  return [...own, ...ofItems, ...ofFields, ...ofOthers];
}

function checkDefault(schema: JsonSchema, path: string): readonly FieldError[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const compiled = compileSchema(schema, isEmbedded ? { root: 'resource' } : {});
  const errors: FieldError[] = [];
  if (compiled.prune(schema.default).unknownFields.length > 0) {
    errors.push(invalidField(path, schema.default, 'must not have unknown fields'));
  }
  // The paths inside the default are not written into the texts, as upstream leaves them out.
  const found = compiled.validate(schema.default).map((error) => ({
    ...error,
    field: error.field === '<nil>' ? path : childPath(path, error.field),
  }));
  return [...errors, ...found];
}

/** At the top, apiVersion, kind and metadata are never defaulted. */
function forbidDefaults(schema: JsonSchema, path: string, top: string): readonly FieldError[] {
  const own =
    schema.default === undefined
      ? []
      : [forbiddenField(childPath(path, 'default'), `must not be set in top-level ${top}`)];
  const ofFields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    forbidDefaults(property, `${childPath(path, 'properties')}[${name}]`, top),
  );
  return [...own, ...ofFields];
}
