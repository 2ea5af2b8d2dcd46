import { FnletError } from '@fnlet/base';

/** See {@link CelError}. */
export type CelErrorCode = 'CelCompilationFailed' | 'CelEvaluationFailed' | 'CelCostExceeded';

/**
 * What can go wrong with a CEL expression. `CelCompilationFailed`: it is not one, or its types do
 * not fit. `CelEvaluationFailed`: it gave no value, such as for a division by zero or a missing
 * key. `CelCostExceeded`: it was stopped because it needed too long.
 */
export class CelError extends FnletError<CelErrorCode> {
  override readonly name = 'CelError';
}

/** An error at run time, in cel-go's words (`no such key: x`). */
export function celError(text: string): CelError {
  return new CelError('CelEvaluationFailed', text);
}

/** An error in the expression, with the place marked as cel-go prints it. */
export function celCompileError(source: string, position: number, text: string): CelError {
  const before = source.slice(0, position);
  const line = before.split('\n').length;
  const column = position - (before.lastIndexOf('\n') + 1);
  const shown = source.split('\n')[line - 1] ?? '';
  const mark = `${'.'.repeat(column)}^`;
  return new CelError(
    'CelCompilationFailed',
    `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown}\n | ${mark}`,
  );
}
