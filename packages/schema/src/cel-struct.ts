import { celError } from './cel-error.ts';
import { compileItem, contentOf } from './cel-item.ts';
import { patchType } from './cel-patches.ts';
import { type CelCode, type CelScope, type CompileNode, compileError } from './cel-scope.ts';
import type { CelField, CelNode } from './cel-syntax.ts';
import {
  type CelStructType,
  type CelType,
  dynType,
  formatCelType,
  isAssignable,
  isOfType,
} from './cel-type.ts';
import { type CelStruct, type CelValue, celItems, celKind } from './cel-value.ts';

/** `Type.name{field: value}`. */
export function compileStruct(
  scope: CelScope,
  node: Extract<CelNode, { readonly kind: 'struct' }>,
  compile: CompileNode,
): CelCode {
  const { name } = node;
  const type = scope.hasPatchTypes === true ? patchType(name) : undefined;
  if (type === undefined) {
    throw compileError(scope, node, `undeclared reference to '${name}' (in container '')`);
  }
  const fields = node.fields.map((field) => {
    const item = compileItem(scope, field, compile);
    const expected = fieldType(scope, type, field);
    if (!isAssignable(expected, item.type, new Map())) {
      const types = `'${formatCelType(expected)}' but provided type is '${formatCelType(item.type)}'`;
      const text = `expected type of field '${field.name}' is ${types}`;
      throw compileError(scope, { ...field.value, at: field.at }, text);
    }
    return { name: field.name, item, expected };
  });
  return {
    type,
    cost: fields.reduce((sum, { item }) => sum + item.code.cost, 1),
    run: (run): CelStruct => ({
      ...{ kind: 'struct', name },
      fields: new Map(
        fields.flatMap(({ name: field, item, expected }) => {
          const content = contentOf(item, run);
          if (content === undefined) return [];
          if (isOfType(content, expected)) return [[field, content] as const];
          const text = `unexpected type ${goKind(content)} for ${name}Type '${field}' field`;
          throw celError(text);
        }),
      ),
    }),
  };
}

function fieldType(scope: CelScope, type: CelStructType, field: CelField): CelType {
  if (type.fields === undefined) return dynType;
  const known = type.fields.get(field.name);
  if (known !== undefined) return known;
  throw compileError(scope, { ...field.value, at: field.at }, `undefined field '${field.name}'`);
}

const goKinds: ReadonlyMap<string, string> = new Map([
  ['int', 'int64'],
  ['uint', 'uint64'],
  ['double', 'float64'],
  ['bytes', '[]uint8'],
  ['null_type', 'structpb.NullValue'],
]);

/** The Go type of a value. */
function goKind(value: CelValue): string {
  const kind = celKind(value);
  return goKinds.get(kind) ?? kind;
}

/**
 * Why a patch cannot be meant as it is written: each struct in it must be named by the fields that
 * lead to it. `undefined` for one that can be, and for every other value.
 */
export function structProblem(value: CelValue): string | undefined {
  const misnamed = patchRoots(value).flatMap((root) => misnamedStructs(root, [root.name]));
  return misnamed.length === 0 ? undefined : `type mismatch: ${misnamed.join('\n')}`;
}

function patchRoots(value: CelValue): readonly CelStruct[] {
  if (isStruct(value)) return [value];
  if (value === null || typeof value !== 'object' || !('kind' in value) || value.kind !== 'list') {
    return [];
  }
  // Of a JSON patch, what an operation sets; it begins wherever its path leads.
  return celItems(value).flatMap((item) => {
    const set = isStruct(item) ? item.fields.get('value') : undefined;
    return set !== undefined && isStruct(set) ? [set] : [];
  });
}

function misnamedStructs(value: CelValue, path: readonly string[]): readonly string[] {
  if (value === null || typeof value !== 'object' || !('kind' in value)) return [];
  switch (value.kind) {
    case 'struct': {
      const expected = path.join('.');
      const inside = value.fields
        .entries()
        .flatMap(([name, field]) => misnamedStructs(field, [...path, name]));
      if (value.name === expected) return [...inside];
      const names = `"${value.name}", expected "${expected}"`;
      const why = 'which matches field name path from root Object type';
      return [`unexpected type name ${names}, ${why}`, ...inside];
    }
    case 'list':
      return celItems(value).flatMap((item) => misnamedStructs(item, path));
    case 'map':
      return value.keys().flatMap((key) => misnamedStructs(value.get(key) ?? null, path));
    default:
      return [];
  }
}

function isStruct(value: CelValue): value is CelStruct {
  return value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'struct';
}
