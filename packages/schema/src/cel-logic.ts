import { hasCode } from '@fnlet/base';
import { celError } from './cel-error.ts';
import type { CelRun } from './cel-run.ts';
import type { CelCode } from './cel-scope.ts';
import { boolType } from './cel-type.ts';
import { type CelValue, celKind } from './cel-value.ts';

/** The value as a condition. */
export function condition(value: CelValue): boolean {
  if (typeof value === 'boolean') return value;
  throw celError(`no such overload: expected bool, found ${celKind(value)}`);
}

/**
 * Tries `test` on each of several; the first that gives `decisive` decides, even when others fail.
 * Only when none does, the first failure counts: && and || do not depend on the order of their
 * operands, and neither do all() and exists() (cel-spec, langdef: logical operators).
 */
export function decide(
  count: number,
  decisive: boolean,
  test: (index: number) => boolean,
): boolean {
  let failure: unknown;
  for (let i = 0; i < count; i += 1) {
    try {
      if (test(i) === decisive) return decisive;
    } catch (error) {
      if (hasCode(error, 'CelCostExceeded')) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

/** `left && right` (decisive: false) and `left || right` (decisive: true). */
export function compileJunction(decisive: boolean, left: CelCode, right: CelCode): CelCode {
  return {
    type: boolType,
    cost: left.cost + right.cost + 1,
    run: (run) => decide(2, decisive, (i) => condition((i === 0 ? left : right).run(run))),
  };
}

/** `condition ? then : otherwise`; only one of the two is run. */
export function compileConditional(test: CelCode, then: CelCode, otherwise: CelCode): CelCode {
  return {
    type: then.type.kind === 'null' ? otherwise.type : then.type,
    cost: test.cost + Math.max(then.cost, otherwise.cost) + 1,
    run: (run: CelRun) => (condition(test.run(run)) ? then : otherwise).run(run),
  };
}
