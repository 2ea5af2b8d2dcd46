import { celError } from './cel-error.ts';
import { condition, decide } from './cel-logic.ts';
import type { CelRun } from './cel-run.ts';
import {
  type CelCode,
  type CelScope,
  type CompileNode,
  compileError,
  expectType,
  withVariable,
} from './cel-scope.ts';
import type { CelNode } from './cel-syntax.ts';
import { boolType, type CelType, dynType, formatCelType } from './cel-type.ts';
import { type CelValue, celKind, celList, celNone } from './cel-value.ts';

type Comprehension = Extract<CelNode, { readonly kind: 'comprehension' }>;

/** The macros all, exists, exists_one, map and filter, over lists and the keys of maps. */
export function compileComprehension(
  scope: CelScope,
  node: Comprehension,
  compile: CompileNode,
): CelCode {
  const range = compile(node.range, scope);
  const types = loopTypes(scope, node, range.type);
  let inner = scope;
  const slots: number[] = [];
  for (const [i, name] of node.variables.entries()) {
    const added = withVariable(inner, name, types[i] ?? dynType);
    inner = added.scope;
    slots.push(added.slot);
  }
  const body = compile(node.body, inner);
  const filter = node.filter === undefined ? undefined : compile(node.filter, inner);
  if (node.macro !== 'map') expectType('bool', body, { scope: inner, node: node.body });
  if (filter !== undefined && node.filter !== undefined) {
    expectType('bool', filter, { scope: inner, node: node.filter });
  }
  const loop: Loop = { range, slots, body, cost: body.cost + (filter?.cost ?? 0) + 1 };
  return {
    type: resultType(node, types[0] ?? dynType, body.type),
    cost: range.cost + 1,
    run: runOf(node, loop, filter),
  };
}

interface Loop {
  readonly range: CelCode;
  readonly slots: readonly number[];
  readonly body: CelCode;
  /** The cost of one round. */
  readonly cost: number;
}

function loopTypes(scope: CelScope, node: Comprehension, type: CelType): readonly CelType[] {
  const isPair = node.variables.length === 2;
  switch (type.kind) {
    case 'list':
      return isPair ? [{ kind: 'int' }, type.element] : [type.element];
    case 'map':
      return isPair ? [type.key, type.value] : [type.key];
    case 'dyn':
    case 'parameter':
      return [dynType, dynType];
    default: {
      const text =
        `expression of type '${formatCelType(type)}' cannot be range of a ` +
        'comprehension (must be list, map, or dynamic)';
      throw compileError(scope, node.range, text);
    }
  }
}

function resultType(node: Comprehension, variable: CelType, body: CelType): CelType {
  if (node.macro === 'map') return { kind: 'list', element: body };
  return node.macro === 'filter' ? { kind: 'list', element: variable } : boolType;
}

/** The rounds of a loop: `bind` puts the values of one round into its variables. */
interface Rounds {
  readonly count: number;
  item(index: number): CelValue;
  bind(run: CelRun, index: number): void;
}

function roundsOf(loop: Loop, run: CelRun): Rounds {
  const value = loop.range.run(run);
  const [first = 0, second] = loop.slots;
  if (value !== null && typeof value === 'object' && 'kind' in value) {
    if (value.kind === 'list') {
      const isPair = second !== undefined;
      return {
        count: value.size,
        item: (index) => value.at(index),
        bind: (to, index) => {
          to.slots[first] = isPair ? BigInt(index) : value.at(index);
          if (isPair) to.slots[second] = value.at(index);
        },
      };
    }
    if (value.kind === 'map') {
      const keys = value.keys();
      return {
        count: keys.length,
        item: (index) => keys[index] ?? null,
        bind: (to, index) => {
          const key = keys[index] ?? null;
          to.slots[first] = key;
          if (second !== undefined) to.slots[second] = value.get(key) ?? null;
        },
      };
    }
  }
  throw celError(`no such overload: ${celKind(value)} is no list and no map`);
}

function runOf(
  node: Comprehension,
  loop: Loop,
  filter: CelCode | undefined,
): (run: CelRun) => CelValue {
  const round = (run: CelRun, rounds: Rounds, index: number, code: CelCode): CelValue => {
    run.charge(loop.cost);
    rounds.bind(run, index);
    return code.run(run);
  };
  const holds = (run: CelRun, rounds: Rounds, index: number): boolean =>
    condition(round(run, rounds, index, loop.body));
  switch (node.macro) {
    case 'all':
    case 'exists':
      return (run) => {
        const rounds = roundsOf(loop, run);
        return decide(rounds.count, node.macro === 'exists', (i) => holds(run, rounds, i));
      };
    case 'exists_one':
      return (run) => {
        const rounds = roundsOf(loop, run);
        return indices(rounds.count).filter((i) => holds(run, rounds, i)).length === 1;
      };
    case 'filter':
      return (run) => {
        const rounds = roundsOf(loop, run);
        const kept = indices(rounds.count).filter((i) => holds(run, rounds, i));
        return celList(kept.map((i) => rounds.item(i)));
      };
    case 'map':
      return (run) => {
        const rounds = roundsOf(loop, run);
        const kept = indices(rounds.count).filter(
          (i) => filter === undefined || condition(round(run, rounds, i, filter)),
        );
        return celList(kept.map((i) => round(run, rounds, i, loop.body)));
      };
  }
}

function indices(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** `cel.bind(name, value, body)`, and `value.optMap(name, body)`. */
export function compileBind(
  scope: CelScope,
  node: Extract<CelNode, { readonly kind: 'bind' }>,
  compile: CompileNode,
): CelCode {
  const value = compile(node.value, scope);
  if (node.optional !== undefined) expectType('optional', value, { scope, node: node.value });
  const bound =
    node.optional === undefined
      ? value.type
      : value.type.kind === 'optional'
        ? value.type.value
        : dynType;
  const { scope: inner, slot } = withVariable(scope, node.variable, bound);
  const body = compile(node.body, inner);
  const cost = value.cost + body.cost + 1;
  if (node.optional === undefined) {
    return {
      type: body.type,
      cost,
      run: (run) => {
        run.slots[slot] = value.run(run);
        return body.run(run);
      },
    };
  }
  const isFlat = node.optional === 'optFlatMap';
  if (isFlat) expectType('optional', body, { scope: inner, node: node.body });
  return {
    type: isFlat ? body.type : { kind: 'optional', value: body.type },
    cost,
    run: (run) => {
      const optional = value.run(run);
      const content = contentOf(optional);
      if (content === undefined) return celNone;
      run.slots[slot] = content;
      const result = body.run(run);
      return isFlat ? result : { kind: 'optional', value: result };
    },
  };
}

function contentOf(value: CelValue): CelValue | undefined {
  if (value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'optional') {
    return value.value;
  }
  throw celError(`no such overload: ${celKind(value)} is no optional`);
}
