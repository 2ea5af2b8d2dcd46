import {
  addSizes,
  type CelSize,
  eitherSize,
  exactSize,
  multiplySizes,
  product,
  sum,
  unknownSize,
} from './cel-size.ts';
import type { CelType } from './cel-type.ts';

// What calls cost at most, by the sizes of their arguments: cel-go's checker/cost.go and
// Kubernetes' own functions (apiserver, cel/library/cost.go). Upstream calls these numbers part of
// the API: they decide which rules may be written. What is not here costs 1.

/** An argument, as far as costs depend on it. */
export interface CostArgument {
  readonly type: CelType;
  readonly size: CelSize | undefined;
  /** The size of its items, where the schema tells. */
  readonly itemSize: CelSize | undefined;
  /** Its value when it is a literal. */
  readonly literal?: unknown;
}

/** What a call costs besides its arguments, and how large its result is where that is known. */
export interface CallCost {
  readonly cost: number;
  readonly size?: CelSize;
}

/** The arguments of a call; of a method without its receiver. */
export interface CostedCall {
  readonly target: CostArgument | undefined;
  readonly args: readonly CostArgument[];
}

type Estimate = (call: CostedCall) => CallCost;

const textFactor = 0.1;
// An expression in a pattern is taken to have four characters.
const patternFactor = 0.25;
// The patterns behind named formats have at most 128 characters.
const formatFactor = 128 * patternFactor;

const one: CallCost = { cost: 1 };

function sizeOf(argument: CostArgument | undefined): CelSize {
  return argument?.size ?? unknownSize;
}

function traversal(argument: CostArgument | undefined, factor = textFactor): number {
  return product(sizeOf(argument).max, factor);
}

const readsArgument: Estimate = ({ args: [text] }) => ({ cost: traversal(text) });

const readsTarget: Estimate = ({ target }) => ({ cost: traversal(target), size: sizeOf(target) });

const search: Estimate = ({ target, args: [pattern] }) =>
  target === undefined ? one : { cost: matchCost(target, pattern) };

const find: Estimate = ({ target, args: [pattern] }) => ({
  cost: matchCost(target, pattern),
  size: { min: 0, max: sizeOf(target).max },
});

function matchCost(text: CostArgument | undefined, pattern: CostArgument | undefined): number {
  const read = product(sum(sizeOf(text).max, 1), textFactor);
  return product(read, product(sizeOf(pattern).max, patternFactor));
}

/** Looks at every item of a list, or reads a text. */
const visitsTarget: Estimate = ({ target }) => {
  if (target === undefined) return one;
  const { type } = target;
  if (type.kind !== 'list') return { cost: traversal(target) };
  const isText = type.element.kind === 'string' || type.element.kind === 'bytes';
  const read = isText ? product((target.itemSize ?? unknownSize).max, textFactor) : 0;
  return { cost: product(sizeOf(target).max, sum(1, read)) };
};

const replace: Estimate = ({ target, args: [before, after] }) => {
  const text = sizeOf(target);
  const [old, next] = [sizeOf(before), sizeOf(after)];
  let [count, kept] = [Math.ceil(text.max / old.min), 0];
  if (old.min === 0) [count, kept] = [sum(text.max, 1), text.max];
  else if (next.max <= old.min) [count, kept] = [0, text.max];
  const max = sum(product(count, next.max), kept);
  return { cost: traversal(target, 2 * textFactor), size: { min: 0, max } };
};

const split: Estimate = ({ target, args: [, limit] }) => {
  const max = typeof limit?.literal === 'bigint' ? Number(limit.literal) : sizeOf(target).max;
  return { cost: traversal(target, 2 * textFactor), size: { min: 0, max } };
};

const join: Estimate = ({ target, args: [separator] }) => {
  const list = sizeOf(target);
  const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const items = multiplySizes(list, target?.itemSize ?? unknownSize);
  const size =
    separator === undefined ? items : addSizes(items, multiplySizes(sizeOf(separator), between));
  return { cost: product(size.max, textFactor), size };
};

const addition: Estimate = ({ args: [left, right] }) => {
  const kinds = [left?.type.kind, right?.type.kind];
  const size = addSizes(sizeOf(left), sizeOf(right));
  if (kinds.includes('list')) return { cost: 1, size };
  const isText = kinds.some((kind) => kind === 'string' || kind === 'bytes' || kind === 'dyn');
  return isText ? { cost: product(size.max, textFactor), size } : one;
};

const comparison: Estimate = ({ args: [left, right] }) => {
  const smaller = Math.min(sizeOf(left).max, sizeOf(right).max);
  return { cost: product(smaller, textFactor) };
};

const order: Estimate = (call) => {
  const texts = ['string', 'bytes'];
  const isText = call.args.some(({ type }) => texts.includes(type.kind));
  if (isText) return comparison(call);
  if (call.args.some(({ type }) => type.kind === 'dyn')) {
    return { cost: Math.max(1, comparison(call).cost) };
  }
  return one;
};

const equality: Estimate = (call) => {
  const [left, right] = call.args;
  if (left === undefined || left.type.kind !== right?.type.kind) return comparison(call);
  switch (left.type.kind) {
    case 'ip':
    case 'cidr':
    case 'quantity':
    case 'semver':
      return one;
    case 'format':
      return { cost: product(64, textFactor) };
    case 'url':
      return { cost: product(right.size?.max ?? 1, textFactor) };
    default:
      return comparison(call);
  }
};

const membership: Estimate = ({ args: [, container] }) =>
  container?.type.kind === 'map' ? one : { cost: Math.max(1, sizeOf(container).max) };

const formatting: Estimate = ({ target, args: [items] }) => ({
  cost: traversal(target),
  size: addSizes(sizeOf(target), sizeOf(items)),
});

/** Reads a text, whose result may be longer. */
function readText(text: CostArgument | undefined, growth = 1, more = 0): CallCost {
  const max = sum(product(sizeOf(text).max, growth), more);
  return { cost: traversal(text), size: { min: 0, max } };
}

function compareSets(factor: number): Estimate {
  return ({ args: [left, right] }) => ({
    cost: sum(product(product(sizeOf(left).max, sizeOf(right).max), factor), 1),
  });
}

/** Compares addresses of up to 16 bytes, which come as text where the argument is one. */
function compareAddresses(cost: number): Estimate {
  return ({ args: [other] }) => ({
    cost: other?.type.kind === 'string' ? sum(cost, traversal(other)) : cost,
  });
}

/** One estimate for several functions. */
function forEach(estimate: Estimate, ...names: readonly string[]): readonly [string, Estimate][] {
  return names.map((name) => [name, estimate]);
}

const estimates: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ...forEach(readsArgument, 'isIP', 'isCIDR', 'cidr', 'quantity', 'isQuantity'),
  ...forEach(readsArgument, 'semver', 'isSemver', 'startsWith', 'endsWith'),
  ...forEach(readsTarget, 'lowerAscii', 'upperAscii', 'substring', 'trim'),
  ...forEach(visitsTarget, 'isSorted', 'sum', 'min', 'max', 'indexOf', 'lastIndexOf'),
  ...forEach(find, 'find', 'findAll'),
  ...forEach(order, '_<_', '_<=_', '_>_', '_>=_'),
  ['matches', search],
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['_+_', addition],
  ['_==_', equality],
  ['_!=_', comparison],
  ['@in', membership],
  ['sets.contains', compareSets(1)],
  ['sets.intersects', compareSets(1)],
  ['sets.equivalent', compareSets(2)],
  ['containsIP', compareAddresses(product(32, textFactor))],
  ['containsCIDR', compareAddresses(product(32, textFactor) + product(16, textFactor) + 1)],
  ['ip', (call) => (call.target === undefined ? readsArgument(call) : one)],
  ['ip.isCanonical', ({ args: [text] }) => ({ cost: traversal(text, 2 * textFactor) })],
  ['url', ({ args: [text] }) => ({ cost: traversal(text), size: sizeOf(text) })],
  ['validate', ({ args: [text] }) => ({ cost: product(traversal(text), formatFactor) })],
  [
    'contains',
    ({ target, args: [part] }) => ({ cost: product(traversal(target), traversal(part)) }),
  ],
  ['strings.quote', ({ args: [text] }) => readText(text, 2, 2)],
  ['string', ({ args: [value] }) => (value?.type.kind === 'bytes' ? readText(value) : one)],
  ['bytes', ({ args: [value] }) => (value?.type.kind === 'string' ? readText(value, 4) : one)],
  ['dyn', ({ args: [value] }) => ({ cost: 1, size: sizeOf(value) })],
  ['format', formatting],
]);

/** What a call costs besides its arguments. */
export function estimateCall(name: string, call: CostedCall): CallCost {
  return estimates.get(name)?.(call) ?? one;
}

/** The size of one of two results. */
export function branchSize(then: CostArgument, otherwise: CostArgument): CelSize {
  return eitherSize(sizeOf(then), sizeOf(otherwise));
}

/** The size of a literal: its characters, bytes, or 1. */
export function literalSize(value: unknown): CelSize {
  if (typeof value === 'string') return exactSize([...value].length);
  return exactSize(value instanceof Uint8Array ? value.length : 1);
}
