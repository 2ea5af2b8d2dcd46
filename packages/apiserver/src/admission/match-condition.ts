import { errorMessage, type JsonObject } from '@fnlet/base';
import { compileCel } from '@fnlet/schema';
import { textField } from '../object/object-form.ts';

/** What expressions know; `authorizer` is not among it. */
const variables = { object: 'dyn', oldObject: 'dyn', request: 'dyn' } as const;

/** The values of the variables; `null` where there is no object. */
export type ConditionValues = Readonly<Record<keyof typeof variables, unknown>>;

/** A condition in CEL that a request must meet before a webhook is asked (KEP-3716). */
export interface MatchCondition {
  readonly name: string;
  /** @throws CelError */
  readonly evaluate: (values: ConditionValues) => unknown;
}

/** Why an expression cannot be a condition; undefined for one that can. */
export function conditionProblem(expression: string): string | undefined {
  try {
    const { type } = compileCel(expression, variables);
    return type === 'bool' || type === 'dyn' ? undefined : 'must evaluate to bool';
  } catch (error) {
    return errorMessage(error);
  }
}

/** The conditions of a webhook; each is compiled when it is first met. */
export function compileConditions(conditions: readonly JsonObject[]): readonly MatchCondition[] {
  return conditions.map((condition) => {
    let program: ReturnType<typeof compileCel> | undefined;
    return {
      name: textField(condition, 'name'),
      evaluate: (values) => {
        program ??= compileCel(textField(condition, 'expression'), variables);
        return program.evaluate(values);
      },
    };
  });
}

/** Whether all conditions are met, or why that cannot be told. */
export type ConditionsMet = 'met' | 'unmet' | { readonly problem: string };

/** One that is not met counts more than one that has no value. */
export function decideConditions(
  conditions: readonly MatchCondition[],
  values: () => ConditionValues,
): ConditionsMet {
  if (conditions.length === 0) return 'met';
  const given = values();
  const problems: string[] = [];
  for (const { name, evaluate } of conditions) {
    try {
      const met = evaluate(given);
      if (met === false) return 'unmet';
      if (met !== true) problems.push(`match condition "${name}" is not a bool`);
    } catch (error) {
      problems.push(`match condition "${name}" resulted in error: ${errorMessage(error)}`);
    }
  }
  return problems.length === 0 ? 'met' : { problem: problems.join(', ') };
}
