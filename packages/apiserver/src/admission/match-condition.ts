import { errorMessage, type JsonObject } from '@fnlet/base';
import type { CelComposition, ComposedExpression, CompositionValues } from '@fnlet/schema';
import { aggregate } from '../auth/decide-access.ts';
import { conditionsCostMax } from '../limits.ts';
import { textField } from '../object/object-form.ts';
import { createComposition } from './admission-expressions.ts';

/** Conditions in CEL that a request must meet before somebody is asked about it (KEP-3716). */
export interface MatchConditions {
  /** Whether all of them are met, or why that cannot be told. */
  decide(values: () => CompositionValues): ConditionsMet;
}

/** Whether all conditions are met, or why that cannot be told. */
export type ConditionsMet = 'met' | 'unmet' | { readonly problem: string };

/** What is wanted of an expression. */
export interface ExpectedExpression {
  /** The types that its value may have; `dyn` is none. */
  readonly types: readonly string[];
  /** Default: as the composition. */
  readonly hasAuthorizer?: boolean;
  /** Whether it is a mutation. Default false. */
  readonly hasPatchTypes?: boolean;
}

/** Why an expression cannot be what is wanted; undefined for one that can. */
export function expressionProblem(
  composition: CelComposition,
  expression: string,
  { types, ...options }: ExpectedExpression,
): string | undefined {
  try {
    const { type } = composition.compile(expression, options);
    if (types.includes(type)) return undefined;
    const [only] = types;
    const names = types.map((name) => (name === 'null' ? 'null_type' : name));
    const expected = types.length === 1 ? only : `one of [${names.join(' ')}]`;
    return `must evaluate to ${expected} but got ${type}`;
  } catch (error) {
    return `compilation failed: ${errorMessage(error)}`;
  }
}

/** A condition as it was written, and as it runs. */
interface Condition {
  readonly name: string;
  readonly source: string;
  /** Compiled when it is first met; the text says why it cannot be. */
  compiled?: ComposedExpression | { readonly problem: string };
}

/** The conditions of a webhook, or those of a policy, which know its variables and `params`. */
export function compileConditions(
  given: readonly JsonObject[],
  composition: () => CelComposition = createComposition,
): MatchConditions {
  const conditions: readonly Condition[] = given.map((condition) => ({
    name: textField(condition, 'name'),
    source: textField(condition, 'expression'),
  }));
  let shared: CelComposition | undefined;
  return {
    decide: (values) => {
      if (conditions.length === 0) return 'met';
      shared ??= composition();
      return decideConditions(conditions, shared, values());
    },
  };
}

/** One that is not met counts more than one that has no value. */
function decideConditions(
  conditions: readonly Condition[],
  composition: CelComposition,
  values: CompositionValues,
): ConditionsMet {
  const evaluate = composition.evaluate(values);
  const problems: string[] = [];
  let left = conditionsCostMax;
  for (const condition of conditions) {
    condition.compiled ??= compile(composition, condition.source);
    const { compiled } = condition;
    const { value, problem, cost } = 'problem' in compiled ? failed(compiled) : evaluate(compiled);
    left -= cost;
    if (left < 0) return { problem: outOfBudget };
    if (value === false) return 'unmet';
    if (problem !== undefined) problems.push(problem);
    else if (value !== true) problems.push(`match condition "${condition.name}" is not a bool`);
  }
  return problems.length === 0 ? 'met' : { problem: aggregate(problems) };
}

/** What is said when the expressions of one policy or webhook have used up their time. */
export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

function compile(
  composition: CelComposition,
  source: string,
): ComposedExpression | { readonly problem: string } {
  try {
    return composition.compile(source);
  } catch (error) {
    return { problem: `compilation error: compilation failed: ${errorMessage(error)}` };
  }
}

function failed({ problem }: { readonly problem: string }): {
  readonly value: undefined;
  readonly problem: string;
  readonly cost: number;
} {
  return { value: undefined, problem, cost: 0 };
}
