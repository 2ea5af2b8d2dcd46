import { compileCall } from './cel-call.ts';
import { compileBind, compileComprehension } from './cel-comprehension.ts';
import { celError } from './cel-error.ts';
import { compileItem, contentOf } from './cel-item.ts';
import { celOverloads } from './cel-library.ts';
import { compileConditional, compileJunction } from './cel-logic.ts';
import { patchLibrary } from './cel-patches.ts';
import { type CelCode, type CelScope, compileError, expectType } from './cel-scope.ts';
import { compileHas, compileIndex, compileSelect } from './cel-select.ts';
import { compileStruct } from './cel-struct.ts';
import type { CelNode } from './cel-syntax.ts';
import { type CelType, dynType, formatCelType, isAssignable, isKnown } from './cel-type.ts';
import { type CelValue, celKind, celList, celMap } from './cel-value.ts';

/**
 * Checks the types of an expression and turns it into closures, in one pass. Throws a CelError
 * (`CelCompilationFailed`) that says where and why.
 */
export function compileNode(node: CelNode, scope: CelScope): CelCode {
  const code = compileKind(node, scope);
  scope.types?.set(node, code.type);
  return code;
}

function compileKind(node: CelNode, scope: CelScope): CelCode {
  switch (node.kind) {
    case 'literal':
      return literalCode(node.value);
    case 'identifier':
      return compileIdentifier(node, scope);
    case 'select':
      return (
        compileQualified(node, scope) ??
        compileSelect(scope, node, compileNode(node.operand, scope))
      );
    case 'has':
      return compileHas(scope, node, compileNode(node.operand, scope));
    case 'index': {
      const operand = compileNode(node.operand, scope);
      return compileIndex(scope, node, { operand, index: compileNode(node.index, scope) });
    }
    case 'call':
      return compileCallNode(node, scope);
    case 'and':
    case 'or': {
      const [left, right] = [compileNode(node.left, scope), compileNode(node.right, scope)];
      expectType('bool', left, { scope, node: node.left });
      expectType('bool', right, { scope, node: node.right });
      return compileJunction(node.kind === 'or', left, right);
    }
    case 'conditional':
      return compileChoice(node, scope);
    case 'list':
      return compileList(node, scope);
    case 'map':
      return compileMap(node, scope);
    case 'struct':
      return compileStruct(scope, node, compileNode);
    case 'comprehension':
      return compileComprehension(scope, node, compileNode);
    case 'bind':
      return compileBind(scope, node, compileNode);
  }
}

const kindTypes: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['null_type', { kind: 'null' }],
  ['bool', { kind: 'bool' }],
  ['int', { kind: 'int' }],
  ['uint', { kind: 'uint' }],
  ['double', { kind: 'double' }],
  ['string', { kind: 'string' }],
  ['bytes', { kind: 'bytes' }],
]);

function literalCode(value: CelValue): CelCode {
  return {
    type: kindTypes.get(celKind(value)) ?? dynType,
    cost: 0,
    run: () => value,
    literal: value,
  };
}

const typeNames: ReadonlySet<string> = new Set([...kindTypes.keys(), 'list', 'map', 'type']);

function compileIdentifier(
  node: Extract<CelNode, { readonly kind: 'identifier' }>,
  scope: CelScope,
): CelCode {
  const { name } = node;
  const variable = scope.variables.get(name);
  if (variable === undefined) {
    if (typeNames.has(name))
      return { ...literalCode({ kind: 'type', name }), type: { kind: 'type' } };
    throw compileError(scope, node, `undeclared reference to '${name}' (in container '')`);
  }
  scope.used.add(name);
  const { slot, type } = variable;
  return {
    type,
    cost: 1,
    run: (run) => {
      const value = run.slots[slot];
      if (value === undefined) throw celError(`no such attribute(s): ${name}`);
      return value;
    },
  };
}

/** A variable whose name has a dot, such as `authorizer.requestResource`. */
function compileQualified(
  { operand, field, optional, at }: Extract<CelNode, { readonly kind: 'select' }>,
  scope: CelScope,
): CelCode | undefined {
  if (operand.kind !== 'identifier' || optional) return undefined;
  const name = `${operand.name}.${field}`;
  return scope.variables.has(name)
    ? compileIdentifier({ kind: 'identifier', name, at }, scope)
    : undefined;
}

function compileCallNode(
  node: Extract<CelNode, { readonly kind: 'call' }>,
  scope: CelScope,
): CelCode {
  const { target, name } = node;
  const isFormat = name === 'format' && target !== undefined;
  // The arguments of format() are the one list whose items may differ in type.
  const args = node.args.map((arg) =>
    isFormat && arg.kind === 'list' ? compileList(arg, scope, true) : compileNode(arg, scope),
  );
  if (target === undefined) return compileCall(scope, { node, name, isMethod: false, args });
  if (target.kind === 'identifier' && !scope.variables.has(target.name)) {
    // Not a variable, so perhaps the first half of a name such as sets.contains.
    const qualified = `${target.name}.${name}`;
    const isMeant = scope.hasPatchTypes === true || target.name !== patchLibrary;
    if (isMeant && celOverloads(qualified, false).length > 0) {
      return compileCall(scope, { node, name: qualified, isMethod: false, args });
    }
  }
  const receiver = compileNode(target, scope);
  return compileCall(scope, { node, name, isMethod: true, args: [receiver, ...args] });
}

function compileChoice(
  node: Extract<CelNode, { readonly kind: 'conditional' }>,
  scope: CelScope,
): CelCode {
  const condition = compileNode(node.condition, scope);
  expectType('bool', condition, { scope, node: node.condition });
  const then = compileNode(node.then, scope);
  const otherwise = compileNode(node.otherwise, scope);
  const bindings = new Map<string, CelType>();
  const isNull = then.type.kind === 'null' || otherwise.type.kind === 'null';
  if (!isNull && !isAssignable(then.type, otherwise.type, bindings)) {
    const types = `bool, ${formatCelType(then.type)}, ${formatCelType(otherwise.type)}`;
    const text = `found no matching overload for '_?_:_' applied to '(${types})'`;
    throw compileError(scope, node, text);
  }
  const choice = compileConditional(condition, then, otherwise);
  // An empty literal has the type of what it stands beside.
  const isOpen = isEmptyLiteral(node.then) && then.type.kind === otherwise.type.kind;
  return isOpen ? { ...choice, type: otherwise.type } : choice;
}

function isEmptyLiteral(node: CelNode): boolean {
  return (
    (node.kind === 'list' && node.items.length === 0) ||
    (node.kind === 'map' && node.entries.length === 0)
  );
}

/** The one type of the items of a literal; lists and maps of mixed types are refused. */
function unify(scope: CelScope, node: CelNode, types: readonly [CelType, CelType]): CelType {
  const [known, item] = types;
  if (!isKnown(known)) return item;
  if (isAssignable(known, item, new Map())) return known;
  if (isAssignable(item, known, new Map())) return item;
  const text = `expected type '${formatCelType(known)}' but found '${formatCelType(item)}'`;
  throw compileError(scope, node, text);
}

function compileList(
  node: Extract<CelNode, { readonly kind: 'list' }>,
  scope: CelScope,
  isMixed = false,
): CelCode {
  let element: CelType = dynType;
  const items = node.items.map((item) => {
    const compiled = compileItem(scope, item, compileNode);
    if (!isMixed) element = unify(scope, item.value, [element, compiled.type]);
    return compiled;
  });
  return {
    type: { kind: 'list', element },
    cost: items.reduce((sum, item) => sum + item.code.cost, 1),
    run: (run) =>
      celList(items.map((item) => contentOf(item, run)).filter((value) => value !== undefined)),
  };
}

function compileMap(node: Extract<CelNode, { readonly kind: 'map' }>, scope: CelScope): CelCode {
  let [key, value]: [CelType, CelType] = [dynType, dynType];
  const entries = node.entries.map((entry) => {
    const name = compileNode(entry.key, scope);
    const item = compileItem(scope, entry, compileNode);
    key = unify(scope, entry.key, [key, name.type]);
    value = unify(scope, entry.value, [value, item.type]);
    return { name, item };
  });
  return {
    type: { kind: 'map', key, value },
    cost: entries.reduce((sum, { name, item }) => sum + name.cost + item.code.cost, 1),
    run: (run) =>
      celMap(
        entries.flatMap(({ name, item }) => {
          const content = contentOf(item, run);
          return content === undefined ? [] : [[name.run(run), content] as const];
        }),
      ),
  };
}
