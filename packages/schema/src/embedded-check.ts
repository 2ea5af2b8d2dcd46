import { isJsonObject } from '@fnlet/base';
import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { childPath, invalidField, requiredField } from './field-message.ts';

/** Checks the resources inside a value: each must say what it is. */
export type EmbeddedCheck = (value: unknown, path: string, errors: FieldError[]) => void;

/**
 * Compiles the rules for `x-kubernetes-embedded-resource` (apiextensions: schema/objectmeta);
 * `undefined` when the schema embeds nothing.
 */
export function compileEmbeddedCheck(schema: JsonSchema): EmbeddedCheck | undefined {
  const own = schema['x-kubernetes-embedded-resource'] === true ? checkTypeMeta : undefined;
  const ofItem = schema.items === undefined ? undefined : compileEmbeddedCheck(schema.items);
  const additional = schema.additionalProperties;
  const ofOther = typeof additional === 'object' ? compileEmbeddedCheck(additional) : undefined;
  const fields = new Map<string, EmbeddedCheck>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compileEmbeddedCheck(property);
    if (check !== undefined) fields.set(name, check);
  }
  if (own === undefined && ofItem === undefined && ofOther === undefined && fields.size === 0) {
    return undefined;
  }
  return (value, path, errors) => {
    if (Array.isArray(value)) {
      value.forEach((item, i) => {
        ofItem?.(item, `${path}[${i}]`, errors);
      });
    } else if (isJsonObject(value)) {
      own?.(value, path, errors);
      for (const [name, item] of Object.entries(value)) {
        const check = fields.get(name) ?? ofOther;
        check?.(item, childPath(path, name), errors);
      }
    }
  };
}

const checkTypeMeta: EmbeddedCheck = (value, path, errors) => {
  if (!isJsonObject(value)) return;
  for (const name of ['apiVersion', 'kind']) {
    const field = childPath(path, name);
    if (!Object.hasOwn(value, name)) errors.push(requiredField(field, 'must not be empty'));
    else if (typeof value[name] !== 'string') {
      errors.push(invalidField(field, value[name], 'must be a string'));
    } else if (value[name] === '') errors.push(invalidField(field, '', 'must not be empty'));
  }
};
