import { branchSize, type CostArgument, estimateCall, literalSize } from './cel-call-cost.ts';
import type { Extent } from './cel-extent.ts';
import type { CheckedExpression } from './cel-program.ts';
import {
  type CelSize,
  eitherSize,
  exactSize,
  product,
  scalarSize,
  sum,
  unknownSize,
} from './cel-size.ts';
import type { CelNode } from './cel-syntax.ts';
import { type CelType, dynType } from './cel-type.ts';

/**
 * What an expression costs at most, in the units of cel-go, when its variables are as large as
 * their schema allows (checker/cost.go). Upstream decides by this number which rules may stand in
 * a CustomResourceDefinition, so it is counted as there, macros as what they expand to included.
 */
export function estimateCost({ node, types }: CheckedExpression, root: Extent): number {
  return estimate(node, { types, root, locals: new Map() }).cost;
}

interface Scope {
  readonly types: ReadonlyMap<CelNode, CelType>;
  readonly root: Extent;
  readonly locals: ReadonlyMap<string, Local>;
}

/**
 * Where the schema describes a value: `undefined` for one that was computed, null for one that the
 * schema does not describe. Upstream names places by paths and drops their first element, which
 * should be the variable; a place below a computed value is looked for in the root, therefore.
 */
type Place = Extent | null | undefined;

interface Local {
  readonly place: Place;
  readonly size?: CelSize | undefined;
  readonly items?: Items | undefined;
}

/** How large what is in a computed list or map can be. */
interface Items {
  readonly key: CelSize;
  readonly value: CelSize;
}

interface Estimated extends CostArgument {
  readonly cost: number;
  readonly place: Place;
  readonly items: Items | undefined;
}

type Known = Partial<Pick<Estimated, 'place' | 'size' | 'items' | 'literal'>>;

const listCost = 10;
const mapCost = 30;
const structCost = 40;

function estimate(node: CelNode, scope: Scope): Estimated {
  const is = (cost: number, known: Known = {}): Estimated =>
    complete(node, scope, { ...known, cost });
  switch (node.kind) {
    case 'literal':
      return is(0, { size: literalSize(node.value), literal: node.value });
    case 'identifier':
      return estimateIdentifier(node.name, scope, is);
    case 'select': {
      const operand = estimate(node.operand, scope);
      if (node.optional) return is(sum(operand.cost, 1));
      const isRead = ['object', 'map', 'parameter'].includes(operand.type.kind);
      const place = below(operand.place, scope, (extent) => extent.fields?.get(node.field));
      return is(sum(operand.cost, isRead ? 1 : 0), { place });
    }
    case 'has':
      return is(estimate(node.operand, scope).cost);
    case 'index':
      return estimateIndex(node, scope, is);
    case 'and':
    case 'or':
      return is(sum(estimate(node.left, scope).cost, estimate(node.right, scope).cost));
    case 'conditional': {
      const [then, otherwise] = [estimate(node.then, scope), estimate(node.otherwise, scope)];
      const condition = estimate(node.condition, scope);
      const cost = sum(condition.cost, Math.max(then.cost, otherwise.cost));
      const items = eitherItems(then.items, otherwise.items);
      return is(cost, { size: branchSize(then, otherwise), items });
    }
    case 'list': {
      const items = node.items.map(({ value }) => estimate(value, scope));
      const value = commonSize(items);
      const size = exactSize(items.length);
      const known = { size, items: { key: scalarSize, value } };
      return is(sum(listCost, ...items.map(({ cost }) => cost)), known);
    }
    case 'map': {
      const keys = node.entries.map(({ key }) => estimate(key, scope));
      const values = node.entries.map(({ value }) => estimate(value, scope));
      const items = { key: commonSize(keys), value: commonSize(values) };
      const costs = [...keys, ...values].map(({ cost }) => cost);
      return is(sum(mapCost, ...costs), { size: exactSize(keys.length), items });
    }
    case 'struct': {
      const costs = node.fields.map(({ value }) => estimate(value, scope).cost);
      return is(sum(structCost, ...costs));
    }
    case 'call':
      return estimateCallNode(node, scope, is);
    case 'comprehension':
      return estimateLoop(node, scope, is);
    case 'bind':
      return estimateBind(node, scope, is);
  }
}

type Is = (cost: number, known?: Known) => Estimated;

function complete(
  node: CelNode,
  scope: Scope,
  known: Known & { readonly cost: number },
): Estimated {
  const type = scope.types.get(node) ?? dynType;
  const { cost, place, items } = known;
  const size = known.size ?? placeSize(place) ?? (isScalar(type) ? scalarSize : undefined);
  const itemSize = placeSize(place === undefined ? undefined : (place?.items ?? null));
  return { type, cost, place, size, items, itemSize, literal: known.literal };
}

function placeSize(place: Place): CelSize | undefined {
  return place === undefined || place === null ? undefined : { min: 0, max: place.elementsMax };
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.value);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}

function below(
  place: Place,
  { root }: Scope,
  step: (extent: Extent) => Extent | undefined,
): Extent | null {
  if (place === undefined) return root;
  return (place === null ? undefined : step(place)) ?? null;
}

function estimateIdentifier(name: string, scope: Scope, is: Is): Estimated {
  const local = scope.locals.get(name);
  if (local === undefined) return is(1, { place: scope.root });
  const found = is(1, { place: local.place, items: local.items });
  return { ...found, size: found.size ?? local.size };
}

function estimateIndex(
  node: Extract<CelNode, { readonly kind: 'index' }>,
  scope: Scope,
  is: Is,
): Estimated {
  const operand = estimate(node.operand, scope);
  const cost = sum(operand.cost, estimate(node.index, scope).cost, 1);
  if (node.optional || operand.type.kind === 'optional') return is(cost);
  const place = below(operand.place, scope, (extent) => extent.items);
  return is(cost, { place, ...(operand.items && { size: operand.items.value }) });
}

function estimateCallNode(
  { target, name, args }: Extract<CelNode, { readonly kind: 'call' }>,
  scope: Scope,
  is: Is,
): Estimated {
  const given = args.map((arg) => estimate(arg, scope));
  // A number with its sign is one literal to cel-go.
  if (name === '-_' && args[0]?.kind === 'literal') return is(0, { size: scalarSize });
  // The first half of a name such as sets.contains has no type.
  const isMethod = target !== undefined && scope.types.has(target);
  const receiver = isMethod ? estimate(target, scope) : undefined;
  const isNamed = !isMethod && target?.kind === 'identifier';
  const called = isNamed ? `${target.name}.${name}` : name;
  const { cost, size } = estimateCall(called, { target: receiver, args: given });
  const [left, right] = given;
  const items =
    name === '_+_'
      ? eitherItems(left?.items, right?.items)
      : name === 'dyn'
        ? left?.items
        : undefined;
  const costs = [cost, receiver?.cost ?? 0, ...given.map((arg) => arg.cost)];
  return is(sum(...costs), { ...(size === undefined ? {} : { size }), items });
}

/**
 * A macro costs what it expands to: a loop with an accumulator, which is read in each round to see
 * whether to go on, and to add to it.
 */
function estimateLoop(
  node: Extract<CelNode, { readonly kind: 'comprehension' }>,
  scope: Scope,
  is: Is,
): Estimated {
  const range = estimate(node.range, scope);
  const inner = { ...scope, locals: withRounds(node, range, scope) };
  const body = estimate(node.body, inner);
  const filter = node.filter === undefined ? undefined : estimate(node.filter, inner);
  const rounds = range.size ?? unknownSize;
  const loop = (round: number, around: number): number =>
    sum(range.cost, product(sum(body.cost, round), rounds.max), around);
  // `result + [item]`: a list of one, which is added.
  const adding = listCost + 2;
  switch (node.macro) {
    case 'all':
      return is(loop(3, 1));
    case 'exists':
      return is(loop(4, 1));
    case 'exists_one':
      return is(loop(2, 2));
    case 'filter': {
      const [name = ''] = node.variables;
      const item = estimateIdentifier(name, inner, is);
      const items = { key: scalarSize, value: item.size ?? unknownSize };
      return is(loop(adding + 1, listCost + 1), { size: rounds, items });
    }
    case 'map': {
      const items = { key: scalarSize, value: body.size ?? unknownSize };
      const cost = loop(adding + (filter?.cost ?? 0), listCost + 1);
      return is(cost, { size: rounds, items });
    }
  }
}

function withRounds(
  { variables }: Extract<CelNode, { readonly kind: 'comprehension' }>,
  range: Estimated,
  scope: Scope,
): ReadonlyMap<string, Local> {
  const [first = '', second] = variables;
  const isList = range.type.kind === 'list';
  const key: Local = {
    place: below(range.place, scope, (extent) => (isList ? undefined : extent.keys)),
    size: range.items?.key,
  };
  const value: Local = {
    place: below(range.place, scope, (extent) => extent.items),
    size: range.items?.value,
  };
  const added: readonly [string, Local][] =
    second === undefined
      ? [[first, isList ? value : key]]
      : [
          [first, key],
          [second, value],
        ];
  return new Map([...scope.locals, ...added]);
}

/** Both are macros too: a loop without rounds, and for an optional one that is asked first. */
function estimateBind(
  node: Extract<CelNode, { readonly kind: 'bind' }>,
  scope: Scope,
  is: Is,
): Estimated {
  const value = estimate(node.value, scope);
  const isOptional = node.optional !== undefined;
  const local: Local = isOptional
    ? { place: undefined }
    : { place: value.place, size: value.size, items: value.items };
  const locals = new Map([...scope.locals, [node.variable, local] as const]);
  const body = estimate(node.body, { ...scope, locals });
  const bound = sum(listCost, value.cost, isOptional ? 1 : 0, body.cost);
  if (!isOptional) return is(bound, { ...(body.size && { size: body.size }), items: body.items });
  const wrapping = node.optional === 'optMap' ? 1 : 0;
  return is(sum(value.cost, 1, bound, wrapping));
}

function eitherItems(a: Items | undefined, b: Items | undefined): Items | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { key: eitherSize(a.key, b.key), value: eitherSize(a.value, b.value) };
}

function commonSize(items: readonly Estimated[]): CelSize {
  const sizes = items.map(({ size }) => size ?? unknownSize);
  return sizes.reduce((common, size) => eitherSize(common, size), sizes[0] ?? exactSize(0));
}
