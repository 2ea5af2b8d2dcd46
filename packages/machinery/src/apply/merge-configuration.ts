import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  declaredField,
  type FieldType,
  isLeafType,
  type ResolvedType,
  resolveType,
  typeOfField,
} from '../field-type.ts';
import { MachineryError } from '../machinery-error.ts';
import { mergeValues } from './merge-values.ts';
import { fieldElement, formatPath, indexElement, type PathElement } from './path-element.ts';
import { validateValue } from './validate-value.ts';

/** A configuration to be put over an object, and how objects of its kind are merged. */
export interface ConfigurationMerge {
  readonly object: JsonObject;
  /** A partial object of the same kind. */
  readonly configuration: JsonObject;
  readonly type: FieldType;
}

/**
 * `object` with what the configuration states, merged as server-side apply merges it, but owned by
 * nobody: what is not stated stays, so nothing can be removed. For the same reason nothing that has
 * one owner as a whole may be stated, but for scalars: it would lose what the configuration leaves
 * out (apiserver, admission/plugin/policy/mutating/patch).
 *
 * @throws MachineryError `InvalidTypedValue` in upstream's words
 */
export function mergeConfiguration({ object, configuration, type }: ConfigurationMerge): unknown {
  const config = { value: configuration, type };
  const problems = [...validateValue(config), ...nullsIn(type, configuration, [])];
  if (problems.length > 0) {
    const text = problems.length === 1 ? problems[0] : `errors:\n  ${problems.join('\n  ')}`;
    throw unfit(`failed to convert patch object to typed object: ${text}`);
  }
  const atomics = atomicsIn(type, configuration, []);
  if (atomics.length > 0) {
    const text = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`;
    throw unfit(`invalid ApplyConfiguration: ${text}`);
  }
  return mergeValues({ value: object, type }, config);
}

function unfit(text: string): MachineryError {
  return new MachineryError('InvalidTypedValue', text);
}

type Path = readonly PathElement[];

/** The places of lists, maps and structs that are owned as a whole. */
function atomicsIn(type: FieldType, value: unknown, path: Path): readonly string[] {
  const resolved = resolveType(type, value);
  const own =
    resolved.kind !== 'scalar' && isLeafType(resolved) && typeof value === 'object'
      ? [formatPath(path)]
      : [];
  if (resolved.kind === 'map' && isJsonObject(value)) {
    const inside = Object.entries(value).flatMap(([name, field]) => {
      const declared = declaredField(resolved, name);
      return declared === undefined
        ? []
        : atomicsIn(declared, field, [...path, fieldElement(name)]);
    });
    return [...own, ...inside];
  }
  if (resolved.kind === 'list' && Array.isArray(value)) {
    const inside = value.flatMap((item: unknown, index) =>
      atomicsIn(resolved.element, item, [...path, indexElement(index)]),
    );
    return [...own, ...inside];
  }
  return [];
}

/** To CEL null is a value of its own, which fits no type: it does not remove a field. */
function nullsIn(type: FieldType, value: unknown, path: Path): readonly string[] {
  const resolved = resolveType(type, value);
  if (value === null) {
    return [`${formatPath(path)}: ${nullProblem(resolved)}`];
  }
  if (resolved.kind === 'map' && isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, field]) =>
      nullsIn(typeOfField(resolved, name), field, [...path, fieldElement(name)]),
    );
  }
  if (resolved.kind === 'list' && Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      nullsIn(resolved.element, item, [...path, indexElement(index)]),
    );
  }
  return [];
}

/** Null as Go prints the one that CEL has. */
function nullProblem(type: ResolvedType): string {
  const of = type.kind === 'scalar' ? type.of : type.kind;
  switch (of) {
    case 'numeric':
      return 'expected numeric (int or float), got structpb.NullValue';
    case 'string':
      return 'expected string, got &value.valueUnstructured{Value:0}';
    case undefined:
      return 'expected any scalar, got &{NULL_VALUE}';
    default:
      return `expected ${of}, got &{NULL_VALUE}`;
  }
}
