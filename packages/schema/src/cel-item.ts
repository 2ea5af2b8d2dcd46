import { celError } from './cel-error.ts';
import type { CelRun } from './cel-run.ts';
import { type CelCode, type CelScope, type CompileNode, compileError } from './cel-scope.ts';
import type { CelItem } from './cel-syntax.ts';
import { type CelType, dynType, formatCelType, isKnown } from './cel-type.ts';
import { type CelValue, celKind } from './cel-value.ts';

/** An item of a list, a map or a struct; an empty optional leaves it out. */
export interface CompiledItem {
  readonly code: CelCode;
  readonly optional: boolean;
  /** That of what the optional holds. */
  readonly type: CelType;
}

export function compileItem(scope: CelScope, item: CelItem, compile: CompileNode): CompiledItem {
  const code = compile(item.value, scope);
  if (!item.optional) return { code, optional: false, type: code.type };
  if (code.type.kind === 'optional') return { code, optional: true, type: code.type.value };
  if (!isKnown(code.type)) return { code, optional: true, type: dynType };
  const type = formatCelType(code.type);
  const text = `expected type 'optional_type(${type})' but found '${type}'`;
  throw compileError(scope, item.value, text);
}

/** The value of an item; `undefined` when it is an empty optional that leaves the item out. */
export function contentOf(item: CompiledItem, run: CelRun): CelValue | undefined {
  const value = item.code.run(run);
  if (!item.optional) return value;
  const isOptional = value !== null && typeof value === 'object' && 'kind' in value;
  if (isOptional && value.kind === 'optional') return value.value;
  throw celError(`no such overload: ${celKind(value)} is no optional`);
}
