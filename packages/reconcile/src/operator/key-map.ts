import { errorMessage, isJsonObject } from '@fnlet/base';
import { type CelProgram, compileCel } from '@fnlet/schema';
import type { KeyReference } from '@fnlet/sdk/operator';
import { mappedKeysMax, predicateCostMax } from '../limits.ts';
import { ReconcileError } from '../reconcile-error.ts';

/**
 * Whom an object concerns, as CEL over `object` says it: a name, `{"name": …, "namespace": …}`, a
 * list of such, or null.
 *
 * @param onTrouble told when it cannot say for an object, which then concerns nobody; the same
 *   trouble is told once, until another one comes between
 * @throws ReconcileError `InvalidMapping`
 */
export function compileKeyMap(
  expression: string,
  onTrouble: (message: string) => void,
): (object: unknown) => readonly KeyReference[] {
  const program = compile(expression);
  let told: string | undefined;
  return (object) => {
    try {
      return readKeys(program.evaluate({ object }, { costMax: predicateCostMax }));
    } catch (error) {
      const message = `Cannot map by "${expression}": ${errorMessage(error)}`;
      if (message !== told) onTrouble(message);
      told = message;
      return [];
    }
  };
}

function compile(expression: string): CelProgram {
  try {
    return compileCel(expression, { object: 'dyn' });
  } catch (error) {
    const message = `Cannot read mapping "${expression}": ${errorMessage(error)}`;
    throw new ReconcileError('InvalidMapping', message, { cause: error });
  }
}

/**
 * Whom an expression names: see `compileKeyMap`.
 *
 * @throws ReconcileError `InvalidMapping`
 */
export function readKeys(value: unknown): readonly KeyReference[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [readKey(value)];
  if (value.length <= mappedKeysMax) return value.map(readKey);
  throw invalid(`${value.length} objects`, `at most ${mappedKeysMax}`);
}

function readKey(value: unknown): KeyReference {
  if (typeof value === 'string') return { name: value };
  const { name, namespace } = isJsonObject(value) ? value : {};
  if (typeof name === 'string') {
    return typeof namespace === 'string' ? { name, namespace } : { name };
  }
  throw invalid(JSON.stringify(value) ?? typeof value, 'a name, or a name and a namespace');
}

function invalid(found: string, expected: string): ReconcileError {
  return new ReconcileError('InvalidMapping', `found ${found}, expected ${expected}`);
}
