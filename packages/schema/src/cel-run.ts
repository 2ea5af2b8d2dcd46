import { errorMessage } from '@fnlet/base';
import { CelError, celError } from './cel-error.ts';
import type { CelMachine } from './cel-function.ts';
import type { CelValue } from './cel-value.ts';
import { regexCacheMax } from './limits.ts';
import { compileRegex, type Regex } from './regex.ts';

/**
 * One evaluation of an expression: the values of its variables and the cost it may still use.
 * Every loop and every function that works in proportion to its input charges it, so no expression
 * can run for long.
 */
export class CelRun implements CelMachine {
  /** The values of variables by slot; `undefined` for one that has no value. */
  readonly slots: (CelValue | undefined)[];
  readonly #regexes: Map<string, Regex>;
  readonly #costMax: number;
  #cost = 0;

  constructor(slots: (CelValue | undefined)[], costMax: number, regexes: Map<string, Regex>) {
    this.slots = slots;
    this.#costMax = costMax;
    this.#regexes = regexes;
  }

  /** What was used up so far. */
  get cost(): number {
    return this.#cost;
  }

  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost <= this.#costMax) return;
    throw new CelError('CelCostExceeded', 'operation cancelled: actual cost limit exceeded', {
      remedy: 'Make the expression simpler, or bound the lists and texts that it looks at',
    });
  }

  regex(pattern: string): Regex {
    const known = this.#regexes.get(pattern);
    if (known !== undefined) return known;
    this.charge(pattern.length);
    const regex = tryCompile(pattern);
    if (this.#regexes.size >= regexCacheMax) this.#regexes.clear();
    this.#regexes.set(pattern, regex);
    return regex;
  }
}

function tryCompile(pattern: string): Regex {
  try {
    return compileRegex(pattern);
  } catch (error) {
    throw celError(errorMessage(error));
  }
}
