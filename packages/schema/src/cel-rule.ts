import { errorMessage, FnletError } from '@fnlet/base';
import type { JsonSchema, ValidationRule } from '@fnlet/machinery';
import { type CelExpression, compileExpression } from './cel-program.ts';
import type { CelBinding } from './cel-schema.ts';
import { type CelType, dynType } from './cel-type.ts';
import { type CelValue, celNone } from './cel-value.ts';
import { resolveFieldPath } from './field-path.ts';
import { celMessageBytesMax } from './limits.ts';

/** A rule of `x-kubernetes-validations`, compiled for the place in the schema that it stands at. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent when the rule does not compile; `error` then says why. */
  readonly expression?: CelExpression;
  readonly error?: string;
  readonly messageExpression?: CelExpression;
  readonly messageError?: string;
  /** Whether it compares with the old value, and so only runs where there is one. */
  readonly usesOldSelf: boolean;
  /** `fieldPath` as errors print it; empty when there is none. */
  readonly field: string;
}

/** Where a rule stands, and what is wanted of it. */
export interface RuleSite {
  readonly schema: JsonSchema;
  readonly binding: CelBinding | undefined;
  /** Whether the parts of its expressions are wanted, for their cost. Default false. */
  readonly keepsChecked?: boolean;
}

export function compileRule(rule: ValidationRule, site: RuleSite): CompiledRule {
  const { schema, binding, keepsChecked = false } = site;
  const field =
    rule.fieldPath === undefined ? '' : (resolveFieldPath(rule.fieldPath, schema) ?? '');
  if (binding === undefined) {
    const error = 'failed to convert to declType for CEL validation rules';
    return { rule, error, usesOldSelf: false, field };
  }
  const variables = ruleTypes(rule, binding.type);
  const compileTo = (text: string, expected: 'bool' | 'string'): CelExpression | string =>
    compileExpected(expected, () => compileExpression(text, variables, { keepsChecked }));
  const compiled = compileTo(rule.rule, 'bool');
  if (typeof compiled === 'string') {
    return { rule, error: compiled, usesOldSelf: false, field };
  }
  const message =
    rule.messageExpression === undefined || rule.messageExpression.trim() === ''
      ? undefined
      : compileTo(rule.messageExpression, 'string');
  return {
    rule,
    expression: compiled,
    usesOldSelf: compiled.used.has('oldSelf'),
    field,
    ...(typeof message === 'string' ? { messageError: `messageExpression ${message}` } : {}),
    ...(typeof message === 'object' ? { messageExpression: message } : {}),
  };
}

/** The variables of a rule for values of this type. */
export function ruleTypes(
  { optionalOldSelf }: ValidationRule,
  type: CelType,
): ReadonlyMap<string, { readonly type: CelType }> {
  const oldType: CelType = optionalOldSelf === true ? { kind: 'optional', value: type } : type;
  return new Map([
    ['self', { type }],
    ['oldSelf', { type: oldType }],
  ]);
}

/** The expression, or why it cannot be used. */
function compileExpected(
  expected: 'bool' | 'string',
  compile: () => CelExpression,
): CelExpression | string {
  try {
    const expression = compile();
    const { kind } = expression.type;
    if (kind === expected || kind === dynType.kind) return expression;
    return expected === 'bool'
      ? 'cel expression must evaluate to a bool'
      : 'must evaluate to a string';
  } catch (error) {
    if (!(error instanceof FnletError)) throw error;
    return `compilation failed: ${errorMessage(error)}`;
  }
}

/** The variables of a rule; `old` is undefined when there is no old value. */
export function ruleVariables(
  binding: CelBinding,
  values: { readonly self: CelValue; readonly old: unknown; readonly isOptional: boolean },
): ReadonlyMap<string, CelValue> {
  const { self, old, isOptional } = values;
  const variables = new Map<string, CelValue>([['self', self]]);
  if (old !== undefined) {
    const value = binding.read(old);
    variables.set('oldSelf', isOptional ? { kind: 'optional', value } : value);
  } else if (isOptional) variables.set('oldSelf', celNone);
  return variables;
}

/** What a messageExpression gave, when it is fit to be shown. */
export function usableMessage(value: CelValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const isUsable = text !== '' && !text.includes('\n') && text.length <= celMessageBytesMax;
  return isUsable ? text : undefined;
}
