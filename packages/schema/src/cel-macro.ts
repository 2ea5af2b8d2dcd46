import { celCompileError } from './cel-error.ts';
import type { CelLoop, CelNode } from './cel-syntax.ts';

/** A call that may be a macro. */
export interface MacroCall {
  readonly name: string;
  readonly target?: CelNode;
  readonly args: readonly CelNode[];
  readonly at: number;
  readonly source: string;
}

/** The node that a macro call stands for; `undefined` when it is an ordinary call. */
export function expandMacro(call: MacroCall): CelNode | undefined {
  const { name, target, args } = call;
  if (target === undefined)
    return name === 'has' && args.length === 1 ? expandHas(call) : undefined;
  if (target.kind === 'identifier' && target.name === 'cel' && name === 'bind') {
    return args.length === 3 ? expandBind(call) : undefined;
  }
  switch (name) {
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'filter':
      return expandLoop(call, name, target);
    case 'existsOne':
      return expandLoop(call, 'exists_one', target);
    case 'map':
      return expandMap(call, target);
    case 'optMap':
    case 'optFlatMap':
      return args.length === 2 ? expandOptional(call, name, target) : undefined;
    default:
      return undefined;
  }
}

function expandHas({ args, at, source }: MacroCall): CelNode {
  const [argument] = args;
  if (argument?.kind !== 'select' || argument.optional) {
    throw celCompileError(source, at, 'invalid argument to has() macro');
  }
  return { kind: 'has', operand: argument.operand, field: argument.field, at };
}

function variableOf(call: MacroCall, node: CelNode | undefined): string {
  if (node?.kind !== 'identifier') {
    throw celCompileError(call.source, node?.at ?? call.at, 'argument must be a simple name');
  }
  return node.name;
}

function expandBind(call: MacroCall): CelNode | undefined {
  const [name, value, body] = call.args;
  if (value === undefined || body === undefined) return undefined;
  return { kind: 'bind', variable: variableOf(call, name), value, body, at: call.at };
}

function expandOptional(
  call: MacroCall,
  optional: 'optMap' | 'optFlatMap',
  value: CelNode,
): CelNode | undefined {
  const [name, body] = call.args;
  if (body === undefined) return undefined;
  return { kind: 'bind', variable: variableOf(call, name), value, body, optional, at: call.at };
}

function expandLoop(call: MacroCall, macro: CelLoop, range: CelNode): CelNode | undefined {
  const body = call.args.at(-1);
  const isPair = call.args.length === 3 && macro !== 'filter';
  if (body === undefined || !(call.args.length === 2 || isPair)) return undefined;
  const variables = call.args.slice(0, -1).map((node) => variableOf(call, node));
  return { kind: 'comprehension', macro, range, variables, body, at: call.at };
}

function expandMap(call: MacroCall, range: CelNode): CelNode | undefined {
  const { args, at } = call;
  const body = args.at(-1);
  if (body === undefined || args.length < 2 || args.length > 3) return undefined;
  const variables = [variableOf(call, args[0])];
  const filter = args.length === 3 ? args[1] : undefined;
  const loop = { kind: 'comprehension', macro: 'map', range, variables, body, at } as const;
  return filter === undefined ? loop : { ...loop, filter };
}
