import { celError } from './cel-error.ts';
import type { CelOverload } from './cel-function.ts';
import { celOverloads } from './cel-library.ts';
import { type CelCode, type CelScope, compileError } from './cel-scope.ts';
import type { CelNode } from './cel-syntax.ts';
import {
  type CelType,
  dynType,
  formatCelType,
  isAssignable,
  isKnown,
  isOfType,
  substitute,
  type TypeBindings,
} from './cel-type.ts';
import { celKind } from './cel-value.ts';

/** A call with its compiled arguments; of a method the first is the receiver. */
export interface CelCallSite {
  readonly node: CelNode;
  readonly name: string;
  readonly isMethod: boolean;
  readonly args: readonly CelCode[];
}

/**
 * Chooses the overload of a call by the types of its arguments: when the expression is compiled
 * where they are known, at run time among those that remain where they are not.
 */
export function compileCall(scope: CelScope, site: CelCallSite): CelCode {
  const { name, args } = site;
  const overloads = celOverloads(name, site.isMethod);
  if (overloads.length === 0) {
    const text = `undeclared reference to '${name}' (in container '')`;
    throw compileError(scope, site.node, text);
  }
  const candidates = overloads.flatMap((overload) => {
    const result = resultOf(overload, args);
    return result === undefined ? [] : [{ overload, result }];
  });
  const [only] = candidates;
  if (only === undefined) throw noOverload(scope, site);
  checkLiterals(scope, site, only.overload);
  const isDecided = candidates.length === 1 && args.every((arg) => isKnown(arg.type));
  const chosen = candidates.map(({ overload }) => overload);
  return {
    type: commonType(candidates.map(({ result }) => result)),
    cost: args.reduce((sum, arg) => sum + arg.cost, 1),
    run: isDecided ? runDirectly(only.overload, args) : runMatching(name, chosen, args),
  };
}

function resultOf(overload: CelOverload, args: readonly CelCode[]): CelType | undefined {
  if (overload.parameters.length !== args.length) return undefined;
  const bindings: TypeBindings = new Map();
  const fits = overload.parameters.every((parameter, i) =>
    isAssignable(parameter, args[i]?.type ?? dynType, bindings),
  );
  return fits ? substitute(overload.result, bindings) : undefined;
}

function commonType(types: readonly CelType[]): CelType {
  const [first = dynType] = types;
  const text = formatCelType(first);
  return types.every((type) => formatCelType(type) === text) ? first : dynType;
}

function noOverload(scope: CelScope, { node, name, isMethod, args }: CelCallSite): Error {
  const types = args.map((arg) => formatCelType(arg.type));
  const shown = isMethod
    ? `${types[0] ?? ''}.(${types.slice(1).join(', ')})`
    : `(${types.join(', ')})`;
  const text = `found no matching overload for '${name}' applied to '${shown}'`;
  return compileError(scope, node, text);
}

function checkLiterals(scope: CelScope, site: CelCallSite, overload: CelOverload): void {
  try {
    overload.checkLiterals?.(site.args.map((arg) => arg.literal));
  } catch {
    // It is the last one that they look at; what is wrong with it cel-go does not tell either.
    const last = site.node.kind === 'call' ? site.node.args.at(-1) : undefined;
    throw compileError(scope, last ?? site.node, `invalid ${site.name} argument`);
  }
}

function runDirectly({ call }: CelOverload, args: readonly CelCode[]): CelCode['run'] {
  return (run) =>
    call(
      args.map((arg) => arg.run(run)),
      run,
    );
}

function runMatching(
  name: string,
  overloads: readonly CelOverload[],
  args: readonly CelCode[],
): CelCode['run'] {
  return (run) => {
    const values = args.map((arg) => arg.run(run));
    const overload = overloads.find(({ parameters }) =>
      parameters.every((parameter, i) => isOfType(values[i] ?? null, parameter)),
    );
    if (overload !== undefined) return overload.call(values, run);
    throw celError(`no such overload: ${name}(${values.map(celKind).join(', ')})`);
  };
}
