import type { JsonObject } from '@fnlet/base';
import { formatApiVersion, type JsonSchema, type KubeObject } from '@fnlet/machinery';
import { type CompiledSchema, compileSchema } from '@fnlet/schema';
import { builtinTypes, compileBuiltinSchema } from '../builtins/facts/builtin-schema.ts';
import type { Strategy } from './strategy.ts';

/** A served kind in one version: its strategy, and what is derived from it. */
export interface Resource {
  readonly strategy: Strategy;
  readonly apiVersion: string;
  /** Compiled at first use: a start does not pay for kinds that nobody touches. */
  readonly schema: CompiledSchema;
  /** What a builtin object is before anybody writes anything in it; its empty structs. */
  readonly zero: JsonObject | undefined;
  /**
   * How the kept text of an object begins when it is also what this version shows, but for the
   * resourceVersion; `undefined` where objects are converted or get defaults when they are read.
   */
  readonly keptHead: string | undefined;
  /** Its objects in whatever version they are kept in; itself where nobody converts them. */
  readonly kept: Resource;
}

export function createResource(strategy: Strategy): Resource {
  let compiled: CompiledSchema | undefined;
  let zero: JsonObject | undefined;
  let kept: Resource | undefined;
  let keptHead: { readonly text: string | undefined } | undefined;
  const { message } = strategy;
  const apiVersion = formatApiVersion(strategy.type);
  return {
    strategy,
    apiVersion,
    get keptHead(): string | undefined {
      keptHead ??= { text: keptHeadOf(strategy, apiVersion) };
      return keptHead.text;
    },
    get kept(): Resource {
      kept ??= strategy.convert === undefined ? this : createResource(asKept(strategy));
      return kept;
    },
    get schema(): CompiledSchema {
      compiled ??= compile(strategy);
      return compiled;
    },
    get zero(): JsonObject | undefined {
      if (message !== undefined) zero ??= builtinTypes.zero(message);
      return zero;
    },
  };
}

const nothingKnown: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** What is kept in one version is not judged by the schema of another. */
function asKept({ convert: _convert, validate: _validate, ...strategy }: Strategy): Strategy {
  return {
    ...strategy,
    schema: nothingKnown,
    selectableFields: {},
    scale: undefined,
    asKept: true,
  };
}

function compile({ message, schema }: Strategy): CompiledSchema {
  if (message === undefined) return compileSchema(schema, { root: 'resource' });
  return compileBuiltinSchema(builtinTypes, message, schema);
}

function keptHeadOf(
  { type, stored, schema, custom, fromStored, convert, asKept }: Strategy,
  apiVersion: string,
): string | undefined {
  if (convert !== undefined || asKept === true) return undefined;
  const isConverted = fromStored !== undefined || stored.apiVersion !== apiVersion;
  if (isConverted || (custom && mentionsDefault(schema))) return undefined;
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(type.kind)},`;
  return `${head}"metadata":{`;
}

/** Whether the schema has a default, or something else of that name. */
function mentionsDefault(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.hasOwn(schema, 'default') || Object.values(schema).some(mentionsDefault);
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
