import { celError } from './cel-error.ts';
import { type CelCode, type CelScope, compileError } from './cel-scope.ts';
import type { CelNode } from './cel-syntax.ts';
import { boolType, type CelType, dynType, formatCelType, isMessage } from './cel-type.ts';
import { type CelOptional, type CelValue, celKind, celNone } from './cel-value.ts';

/** Fields and items: `operand.field`, `operand.?field`, `has(…)`, `operand[index]`. */

interface Field {
  readonly name: string;
  readonly type: CelType;
}

interface At {
  readonly scope: CelScope;
  readonly node: CelNode;
}

function fieldOf(at: At, type: CelType, field: string): Field {
  switch (type.kind) {
    case 'object': {
      const known = type.fields.get(field);
      if (known === undefined) throw compileError(at.scope, at.node, `undefined field '${field}'`);
      return known;
    }
    case 'struct': {
      const known = type.fields === undefined ? dynType : type.fields.get(field);
      if (known === undefined) throw compileError(at.scope, at.node, `undefined field '${field}'`);
      return { name: field, type: known };
    }
    case 'map':
      return { name: field, type: type.value };
    case 'optional':
      return fieldOf(at, type.value, field);
    case 'dyn':
    case 'parameter':
      return { name: field, type: dynType };
    default: {
      const name = formatCelType(type);
      const text = isMessage(type)
        ? `unexpected failed resolution of '${name}'`
        : `type '${name}' does not support field selection`;
      throw compileError(at.scope, at.node, text);
    }
  }
}

export function compileSelect(
  scope: CelScope,
  node: Extract<CelNode, { readonly kind: 'select' }>,
  operand: CelCode,
): CelCode {
  const { name, type } = fieldOf({ scope, node }, operand.type, node.field);
  const isOptional = node.optional || operand.type.kind === 'optional';
  const cost = operand.cost + 1;
  if (isOptional) {
    const result: CelType = type.kind === 'optional' ? type : { kind: 'optional', value: type };
    return { type: result, cost, run: (run) => optionalAt(operand.run(run), name) };
  }
  return { type, cost, run: (run) => fieldAt(operand.run(run), name) };
}

export function compileHas(
  scope: CelScope,
  node: Extract<CelNode, { readonly kind: 'has' }>,
  operand: CelCode,
): CelCode {
  const { name } = fieldOf({ scope, node }, operand.type, node.field);
  return {
    type: boolType,
    cost: operand.cost + 1,
    run: (run) => optionalAt(operand.run(run), name).value !== undefined,
  };
}

export function compileIndex(
  scope: CelScope,
  node: Extract<CelNode, { readonly kind: 'index' }>,
  { operand, index }: { readonly operand: CelCode; readonly index: CelCode },
): CelCode {
  const isOptional = node.optional || operand.type.kind === 'optional';
  const type = itemType(scope, node, operand.type);
  const cost = operand.cost + index.cost + 1;
  return isOptional
    ? {
        type: { kind: 'optional', value: type },
        cost,
        run: (run) => optionalAt(operand.run(run), index.run(run)),
      }
    : { type, cost, run: (run) => itemAt(operand.run(run), index.run(run)) };
}

function itemType(scope: CelScope, node: CelNode, type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return type.element;
    case 'map':
      return type.value;
    case 'optional':
      return itemType(scope, node, type.value);
    case 'dyn':
    case 'parameter':
      return dynType;
    default: {
      const text = `found no matching overload for '_[_]' applied to '(${formatCelType(type)}, …)'`;
      throw compileError(scope, node, text);
    }
  }
}

function fieldAt(operand: CelValue, name: string): CelValue {
  if (operand !== null && typeof operand === 'object' && 'kind' in operand) {
    if (operand.kind === 'optional') return optionalAt(operand, name);
    // A field that was not set is there all the same, as one of a message is.
    if (operand.kind === 'struct') return operand.fields.get(name) ?? null;
    if (operand.kind === 'map') {
      const value = operand.get(name);
      if (value === undefined) throw celError(`no such key: ${name}`);
      return value;
    }
  }
  // What has no fields has not this one either (cel-go, refQualify).
  throw celError(`no such key: ${name}`);
}

function itemAt(operand: CelValue, index: CelValue): CelValue {
  const { value } = optionalAt(operand, index);
  if (value !== undefined) return value;
  const isList = operand !== null && typeof operand === 'object' && 'kind' in operand;
  const text = isList && operand.kind === 'list' ? 'index out of bounds' : 'no such key';
  throw celError(`${text}: ${String(typeof index === 'object' ? celKind(index) : index)}`);
}

// Once a chain is optional it stays so: what is missing on the way makes it empty.
function optionalAt(operand: CelValue, key: CelValue): CelOptional {
  if (operand !== null && typeof operand === 'object' && 'kind' in operand) {
    if (operand.kind === 'optional') {
      return operand.value === undefined ? celNone : optionalAt(operand.value, key);
    }
    if (operand.kind === 'map') return { kind: 'optional', value: operand.get(key) };
    if (operand.kind === 'struct' && typeof key === 'string') {
      return { kind: 'optional', value: operand.fields.get(key) };
    }
    if (operand.kind === 'list') {
      const index = listIndex(key);
      const isInside = index >= 0 && index < operand.size;
      return isInside ? { kind: 'optional', value: operand.at(index) } : celNone;
    }
  }
  return celNone;
}

function listIndex(key: CelValue): number {
  if (typeof key === 'bigint') return Number(key);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  if (key !== null && typeof key === 'object' && 'kind' in key && key.kind === 'uint') {
    return Number(key.value);
  }
  throw celError(`no such overload: list[${celKind(key)}]`);
}
