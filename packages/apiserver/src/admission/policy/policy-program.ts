import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import type { StatusReason } from '@fnlet/machinery';
import type { ComposedExpression, ComposedResult, CompositionValues } from '@fnlet/schema';
import { messageBytesMax, policyCostMax } from '../../limits.ts';
import { listField, textField } from '../../object/object-form.ts';
import { createComposition } from '../admission-expressions.ts';
import { compileConditions, type MatchConditions, outOfBudget } from '../match-condition.ts';

/** Why a request is refused. */
export interface PolicyDenial {
  readonly message: string;
  readonly reason: StatusReason;
}

/** The expressions of a policy. */
export interface PolicyProgram {
  /**
   * Everything that is wrong with a request, in the order of the policy. Where an expression has no
   * value that is wrong too, unless the policy says that it is to be ignored.
   */
  evaluate(values: CompositionValues, failurePolicy: 'Fail' | 'Ignore'): readonly PolicyDenial[];
}

type Compiled = ComposedExpression | { readonly problem: string };

interface Validation {
  readonly source: string;
  readonly expression: Compiled;
  readonly message: string;
  readonly messageExpression: Compiled | undefined;
  readonly reason: StatusReason;
}

/** An annotation of the audit log, which is not written here: what it cannot say still counts. */
interface Annotation {
  readonly source: string;
  readonly expression: Compiled;
}

/** Compiles the spec of a ValidatingAdmissionPolicy: what cannot be compiled fails when it is run. */
export function compilePolicy(spec: JsonObject): PolicyProgram {
  const composition = createComposition({
    hasParams: isJsonObject(spec.paramKind),
    hasNamed: true,
  });
  for (const variable of listField(spec, 'variables')) {
    composition.define(textField(variable, 'name'), textField(variable, 'expression'));
  }
  const compile = (source: string, hasAuthorizer = true): Compiled => {
    try {
      return composition.compile(source, { hasAuthorizer });
    } catch (error) {
      return { problem: `compilation error: compilation failed: ${errorMessage(error)}` };
    }
  };
  const validations = listField(spec, 'validations').map((one): Validation => {
    const source = textField(one, 'expression');
    const messageExpression = textField(one, 'messageExpression');
    return {
      source,
      expression: compile(source),
      message: textField(one, 'message'),
      messageExpression: messageExpression === '' ? undefined : compile(messageExpression, false),
      reason: reasonOf(one),
    };
  });
  const annotations = listField(spec, 'auditAnnotations').map((one): Annotation => {
    const source = textField(one, 'valueExpression');
    return { source, expression: compile(source) };
  });
  const conditions = compileConditions(listField(spec, 'matchConditions'), () => composition);
  return new Program({ validations, annotations, conditions }, (values) =>
    composition.evaluate(values),
  );
}

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'] as const;

function reasonOf(validation: JsonObject): StatusReason {
  return reasons.find((reason) => reason === validation.reason) ?? 'Invalid';
}

interface ProgramParts {
  readonly validations: readonly Validation[];
  readonly annotations: readonly Annotation[];
  readonly conditions: MatchConditions;
}

type Evaluate = (expression: ComposedExpression) => ComposedResult;

class Program implements PolicyProgram {
  readonly #parts: ProgramParts;
  readonly #begin: (values: CompositionValues) => Evaluate;

  constructor(parts: ProgramParts, begin: (values: CompositionValues) => Evaluate) {
    this.#parts = parts;
    this.#begin = begin;
  }

  evaluate(values: CompositionValues, failurePolicy: 'Fail' | 'Ignore'): readonly PolicyDenial[] {
    const { validations, annotations, conditions } = this.#parts;
    const failed = (message: string): readonly PolicyDenial[] =>
      failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];
    const met = conditions.decide(() => values);
    if (met === 'unmet') return [];
    if (met !== 'met') return failed(met.problem);
    const budget = new Budget(this.#begin(values));
    const results = validations.map(({ expression }) => budget.evaluate(expression));
    if (budget.isSpent) return failed(outOfBudget);
    const denials = validations.flatMap((validation, index) => {
      const { value, problem } = results[index] ?? nothing;
      if (problem !== undefined) return failed(problem);
      if (value === true) return [];
      return [{ message: messageOf(validation, budget), reason: validation.reason }];
    });
    // Of its own, as the audit log has always been kept beside the decision.
    const audit = new Budget(this.#begin(values));
    const unsaid = annotations.flatMap(({ source, expression }) => {
      const { value, problem } = audit.evaluate(expression);
      if (problem !== undefined) return failed(problem);
      if (value === null || typeof value === 'string') return [];
      return failed(
        `valueExpression '${source}' resulted in unsupported return type: ${typeof value}. Return type must be either string or null.`,
      );
    });
    return audit.isSpent ? failed(outOfBudget) : [...denials, ...unsaid];
  }
}

const nothing: ComposedResult = { value: undefined, cost: 0 };

/** Expressions that share what they may cost: once it is used up, no further one is run. */
class Budget {
  readonly #evaluate: Evaluate;
  #left = policyCostMax;

  constructor(evaluate: Evaluate) {
    this.#evaluate = evaluate;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  evaluate(expression: Compiled): ComposedResult {
    if (this.isSpent) return nothing;
    if ('problem' in expression) return { ...nothing, problem: expression.problem };
    const result = this.#evaluate(expression);
    this.#left -= result.cost;
    return result;
  }
}

/** What its expression says, if that can be shown; else its text; else the rule itself. */
function messageOf({ source, message, messageExpression }: Validation, budget: Budget): string {
  const { value } = messageExpression === undefined ? nothing : budget.evaluate(messageExpression);
  if (typeof value === 'string') {
    const text = value.trim();
    const isShown =
      text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax;
    if (isShown) return text;
  }
  const given = message.trim();
  return given === '' ? `failed expression: ${source.trim()}` : given;
}
