import { isJsonObject } from '@fnlet/base';
import {
  declaredField,
  type FieldType,
  type ListType,
  type MapType,
  resolveType,
  type ScalarType,
  typeOfField,
} from '../field-type.ts';
import { fieldElement, formatPath, identifyItem, type PathElement } from './path-element.ts';
import type { TypedValue } from './typed-value.ts';

/**
 * Why a value cannot be merged by its type, in the words of Kubernetes' structured-merge-diff:
 * fields that the type does not have, the wrong kind of value, list items that cannot be told
 * apart. The form of a text, and the range of a number, are for the schema to say.
 */
export function validateValue({ value, type }: TypedValue): readonly string[] {
  const problems: string[] = [];
  validate(type, value, { path: [], problems });
  return problems;
}

interface Place {
  readonly path: readonly PathElement[];
  readonly problems: string[];
}

function validate(type: FieldType, value: unknown, place: Place): void {
  if (value === null) return;
  const resolved = resolveType(type, value);
  if (resolved.kind === 'map') validateFields(resolved, value, place);
  if (resolved.kind === 'list') validateItems(resolved, value, place);
  if (resolved.kind === 'scalar') validateScalar(resolved, value, place);
}

function report({ path, problems }: Place, problem: string): void {
  problems.push(path.length === 0 ? problem : `${formatPath(path)}: ${problem}`);
}

function inside({ path, problems }: Place, element: PathElement): Place {
  return { path: [...path, element], problems };
}

function validateScalar({ of }: ScalarType, value: unknown, place: Place): void {
  if (of === 'string' && typeof value !== 'string') {
    report(place, `expected string, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`);
  }
  if (of === 'numeric' && typeof value !== 'number') {
    report(place, `expected numeric (int or float), got ${goType(value)}`);
  }
  if (of === 'boolean' && typeof value !== 'boolean') {
    report(place, `expected boolean, got ${goText(value)}`);
  }
}

function validateFields(type: MapType, value: unknown, place: Place): void {
  if (!isJsonObject(value)) {
    report(place, `expected map, got ${goText(value)}`);
    return;
  }
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const below = inside(place, fieldElement(name));
    if (declaredField(type, name) === undefined && type.element === undefined) {
      report(below, 'field not declared in schema');
    } else {
      validate(typeOfField(type, name), field, below);
    }
  }
}

function validateItems(type: ListType, value: unknown, place: Place): void {
  if (!Array.isArray(value)) {
    report(place, `expected list, got ${goText(value)}`);
    return;
  }
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    const identity = identifyItem(type, item, index);
    if (identity.problem !== undefined) {
      report(place, `element ${index}: ${identity.problem}`);
      continue;
    }
    const { element } = identity;
    if (seen.has(element)) report(place, `duplicate entries for key ${formatPath([element])}`);
    seen.add(element);
    validate(type.element, item, inside(place, element));
  }
}

/** A value as Go prints the one that the original holds. */
function goText(value: unknown): string {
  return `&{${typeof value === 'object' ? JSON.stringify(value) : String(value)}}`;
}

/** The Go type of a value that came as JSON. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
