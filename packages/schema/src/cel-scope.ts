import { celCompileError } from './cel-error.ts';
import type { CelRun } from './cel-run.ts';
import type { CelNode } from './cel-syntax.ts';
import { type CelType, formatCelType } from './cel-type.ts';
import type { CelValue } from './cel-value.ts';

/** A part of an expression, checked and ready to run. */
export interface CelCode {
  readonly type: CelType;
  /** What one run costs, without what loops and functions charge while they run. */
  readonly cost: number;
  run(run: CelRun): CelValue;
  /** Its value when it is a literal. */
  readonly literal?: CelValue;
}

/** Compiles the parts of a node; injected, so that every kind of node has its own file. */
export type CompileNode = (node: CelNode, scope: CelScope) => CelCode;

/** The variables that can be seen at one place of an expression. */
export interface CelScope {
  readonly source: string;
  readonly variables: ReadonlyMap<string, { readonly slot: number; readonly type: CelType }>;
  /** The next free slot. */
  readonly size: number;
  /** The variables that the whole expression uses, as the compiler meets them. */
  readonly used: Set<string>;
  /** Whether it may construct patches and call what helps with that. Default false. */
  readonly hasPatchTypes?: boolean;
  /** The type of every part, for whom it concerns; the compiler fills it in. */
  readonly types?: Map<CelNode, CelType>;
}

/** The scope with one more variable, and that variable's slot. */
export function withVariable(
  scope: CelScope,
  name: string,
  type: CelType,
): { readonly scope: CelScope; readonly slot: number } {
  const slot = scope.size;
  const variables = new Map([...scope.variables, [name, { slot, type }] as const]);
  return { scope: { ...scope, variables, size: slot + 1 }, slot };
}

export function compileError(scope: CelScope, node: CelNode, text: string): Error {
  return celCompileError(scope.source, node.at, text);
}

/** Refuses code whose type is known and is not the expected one. */
export function expectType(
  expected: CelType['kind'],
  code: CelCode,
  at: { readonly scope: CelScope; readonly node: CelNode },
): void {
  const { kind } = code.type;
  if (kind === expected || kind === 'dyn' || kind === 'parameter') return;
  const text = `expected type '${expected}' but found '${formatCelType(code.type)}'`;
  throw compileError(at.scope, at.node, text);
}
