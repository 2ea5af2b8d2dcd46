import { formatApiVersion, type KubeObject } from '@fnlet/machinery';
import { type CompiledSchema, compileSchema } from '@fnlet/schema';
import { builtinTypes, compileBuiltinSchema } from './builtins/facts/builtin-schema.ts';
import type { Strategy } from './strategy.ts';

/** A served kind in one version: its strategy, and what is derived from it. */
export interface Resource {
  readonly strategy: Strategy;
  readonly apiVersion: string;
  /** Compiled at first use: a start does not pay for kinds that nobody touches. */
  readonly schema: CompiledSchema;
}

export function createResource(strategy: Strategy): Resource {
  let compiled: CompiledSchema | undefined;
  return {
    strategy,
    apiVersion: formatApiVersion(strategy.type),
    get schema(): CompiledSchema {
      compiled ??= compile(strategy);
      return compiled;
    },
  };
}

function compile({ message, schema }: Strategy): CompiledSchema {
  if (message === undefined) return compileSchema(schema, { root: 'resource' });
  return compileBuiltinSchema(builtinTypes, message, schema);
}

/** The verbs that discovery tells for the resource itself. */
export function resourceVerbs(strategy: Strategy): readonly string[] {
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return verbs.filter((verb) => !strategy.withoutVerbs?.includes(verb));
}

/** What a field selector compares; `undefined` for a field that cannot be selected. */
export function selectableValue(
  strategy: Strategy,
  object: KubeObject,
  field: string,
): string | undefined {
  if (field === 'metadata.name') return object.metadata.name;
  if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
  return strategy.selectableFields[field]?.(object);
}

/** Whether a field selector may name this field. */
export function isSelectable(strategy: Strategy, field: string): boolean {
  if (field === 'metadata.name' || field === 'metadata.namespace') return true;
  return Object.hasOwn(strategy.selectableFields, field);
}
