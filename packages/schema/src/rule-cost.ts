import type { FieldError } from '@fnlet/machinery';
import type { Extent } from './cel-extent.ts';
import { product } from './cel-size.ts';
import { forbiddenField } from './field-message.ts';
import { celDefinitionEstimateMax, celRequestBytesMax, celRuleEstimateMax } from './limits.ts';

/** Where a rule stands, as far as its cost depends on it. */
export interface CostedPlace {
  readonly extent: Extent;
  /** How often it can be in one object at most; undefined: as often as it has room there. */
  readonly occurrencesMax: number | undefined;
}

/** How often a rule can run for one object. */
export function runsMax({ extent, occurrencesMax }: CostedPlace): number {
  return occurrencesMax ?? Math.floor(celRequestBytesMax / (extent.bytesMin + 1));
}

const namedRulesMax = 4;
const namedShareMin = 0.01;

/**
 * The costs of all rules of a definition (apiextensions: TotalCost). It remembers the dearest few,
 * which are named when together they are too dear.
 */
export class RuleCosts {
  readonly #isKnown: boolean;
  readonly #seen: { readonly path: string; readonly cost: number }[] = [];

  /** @param isKnown whether the definition stood before: its single rules may stay as they are. */
  constructor(isKnown: boolean) {
    this.#isKnown = isKnown;
  }

  /** Counts an expression that stands at `path`; it is refused when it is too dear by itself. */
  add(path: string, name: string, cost: number): readonly FieldError[] {
    this.#seen.push({ path, cost });
    if (this.#isKnown || cost <= celRuleEstimateMax) return [];
    return [forbiddenField(path, overBudget(name, cost / celRuleEstimateMax))];
  }

  /** The refusal of all rules together, of a schema that stands at `path`. */
  check(path: string): readonly FieldError[] {
    const total = this.#seen.reduce((sum, { cost }) => sum + cost, 0);
    if (total <= celDefinitionEstimateMax) return [];
    const shareMin = celDefinitionEstimateMax * namedShareMin;
    const dearest = this.#seen
      .filter(({ cost }) => cost >= shareMin)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, namedRulesMax);
    const share =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...dearest.map((rule) => forbiddenField(rule.path, share)),
      forbiddenField(path, overBudget(name, total / celDefinitionEstimateMax)),
    ];
  }
}

function overBudget(name: string, factor: number): string {
  const shown =
    factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  const remedy =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, ' +
    'maps, and strings are declared';
  return `${name} exceeds budget by factor of ${shown}x (${remedy})`;
}

/** The product of two counts, either of which may have no bound. */
export function timesMax(
  occurrences: number | undefined,
  most: number | undefined,
): number | undefined {
  if (occurrences === undefined || most === undefined) return undefined;
  return product(occurrences, Math.max(0, most));
}
