import { errorMessage, hasCode, isJsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, JsonSchema, ValidationRule } from '@fnlet/machinery';
import { type CompiledRule, compileRule, ruleVariables, usableMessage } from './cel-rule.ts';
import { bindSchema, type CelBinding } from './cel-schema.ts';
import type { CelValue } from './cel-value.ts';
import { correlateField, correlateItems, uncorrelated } from './correlation.ts';
import {
  childPath,
  duplicateField,
  duplicateFieldOmitted,
  forbiddenField,
  invalidField,
  invalidFieldOmitted,
  requiredField,
} from './field-message.ts';
import { celCallCostMax, celRequestCostMax } from './limits.ts';

/** Runs all rules of a schema on a value; `old` is the value before the update, if correlated. */
export type RuleCheck = (value: unknown, old: unknown, errors: FieldError[]) => void;

/**
 * Compiles the rules of a schema and everything below it (`x-kubernetes-validations`, KEP-2876);
 * `undefined` when there are none. All rules of one call share a budget of cost.
 */
export function compileRuleCheck(schema: JsonSchema, isResource: boolean): RuleCheck | undefined {
  const check = compilePlace(schema, isResource);
  if (check === undefined) return undefined;
  return (value, old, errors) => {
    check(
      { value, old, unchanged: () => false, path: '' },
      {
        errors,
        remaining: celRequestCostMax,
      },
    );
  };
}

/** A value at its place in the object. */
interface Place {
  readonly value: unknown;
  readonly old: unknown;
  /** Whether the nearest ancestor that has an old value is as it was (ratcheting, KEP-4008). */
  unchanged(): boolean;
  readonly path: string;
}

interface Outcome {
  readonly errors: FieldError[];
  /** The cost that is left; below zero nothing runs any more. */
  remaining: number;
}

type PlaceCheck = (place: Place, outcome: Outcome) => void;

function compilePlace(schema: JsonSchema, isResource: boolean): PlaceCheck | undefined {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const binding = rules.length === 0 ? undefined : bindSchema(schema, isResource);
  const own = rules.map((rule) => compileRule(rule, { schema, binding }));
  const inside = compileInside(schema);
  if (own.length === 0 && inside === undefined) return undefined;
  return (place, outcome) => {
    // null only passes where the schema allows it, and rules look at it from the parent.
    if (place.value === null || outcome.remaining < 0) return;
    if (own.length > 0) runRules({ schema, rules: own, binding }, place, outcome);
    inside?.(place, outcome);
  };
}

function compileInside(schema: JsonSchema): PlaceCheck | undefined {
  const ofItem = compileChild(schema.items);
  const { additionalProperties } = schema;
  const ofOther =
    typeof additionalProperties === 'object' ? compileChild(additionalProperties) : undefined;
  const fields = new Map<string, PlaceCheck>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compileChild(property);
    if (check !== undefined) fields.set(name, check);
  }
  if (ofItem === undefined && ofOther === undefined && fields.size === 0) return undefined;
  return (place, outcome) => {
    const { value, path } = place;
    if (Array.isArray(value) && ofItem !== undefined) {
      const oldItem = correlateItems(schema, place.old);
      value.forEach((item, i) => {
        ofItem(inner(place, { value: item, old: oldItem(item), path: `${path}[${i}]` }), outcome);
      });
    } else if (isJsonObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        const at = { value: item, old: correlateField(place.old, name) };
        const check = fields.get(name);
        if (check !== undefined) {
          check(inner(place, { ...at, path: childPath(path, name) }), outcome);
        } else ofOther?.(inner(place, { ...at, path: `${path}[${name}]` }), outcome);
      }
    }
  };
}

function compileChild(schema: JsonSchema | undefined): PlaceCheck | undefined {
  if (schema === undefined) return undefined;
  return compilePlace(schema, schema['x-kubernetes-embedded-resource'] === true);
}

function inner(outer: Place, at: Omit<Place, 'unchanged'>): Place {
  return { ...at, unchanged: () => isUnchanged(outer) };
}

function isUnchanged(place: Place): boolean {
  return place.old === uncorrelated ? place.unchanged() : jsonEqual(place.value, place.old);
}

interface RuleSet {
  readonly schema: JsonSchema;
  readonly rules: readonly CompiledRule[];
  readonly binding: CelBinding | undefined;
}

function runRules({ schema, rules, binding }: RuleSet, place: Place, outcome: Outcome): void {
  const type = schema.type ?? '';
  const self = binding?.read(place.value) ?? null;
  for (const compiled of rules) {
    if (outcome.remaining < 0) return;
    if (compiled.expression === undefined || binding === undefined) {
      const detail = `rule compile error: ${compiled.error ?? 'unknown type'}`;
      outcome.errors.push(invalidField(place.path, type, detail));
      continue;
    }
    const old = place.old === uncorrelated || place.old === null ? undefined : place.old;
    const isOptional = compiled.rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && old === undefined && !isOptional) continue;
    const variables = ruleVariables(binding, { self, old, isOptional });
    const error = runRule(compiled, variables, { ...place, type, outcome });
    if (error === undefined) continue;
    if (error.isFalse && !compiled.usesOldSelf && isUnchanged(place)) continue;
    outcome.errors.push(error.error);
  }
}

interface RulePlace extends Place {
  readonly type: string;
  readonly outcome: Outcome;
}

interface RuleFailure {
  readonly error: FieldError;
  /** Whether the rule ran and said no; otherwise it could not be run. */
  readonly isFalse: boolean;
}

function runRule(
  compiled: CompiledRule,
  variables: ReadonlyMap<string, CelValue>,
  place: RulePlace,
): RuleFailure | undefined {
  const { outcome, path, type } = place;
  const costMax = Math.min(celCallCostMax, outcome.remaining);
  try {
    const ran = compiled.expression?.run(variables, costMax);
    outcome.remaining -= ran?.cost ?? 0;
    if (ran?.result === true) return undefined;
  } catch (error) {
    return {
      error: invalidField(path, type, explain(error, compiled.rule, outcome)),
      isFalse: false,
    };
  }
  const detail = messageOf(compiled, variables, outcome);
  return { error: ruleError(compiled, detail, place), isFalse: true };
}

function explain(error: unknown, rule: ValidationRule, outcome: Outcome): string {
  const text = errorMessage(error);
  const name = rule.message?.trim() || rule.rule.trim();
  if (hasCode(error, 'CelCostExceeded')) {
    const isShared = outcome.remaining < celCallCostMax;
    outcome.remaining = -1;
    return isShared
      ? 'validation failed due to running out of cost budget, no further validation rules ' +
          'will be run'
      : `'${text}': no further validation rules will be run due to call cost exceeds limit ` +
          `for rule: ${name}`;
  }
  if (!hasCode(error, 'CelEvaluationFailed')) throw error;
  return text.startsWith('no such overload')
    ? `'${text}': call arguments did not match a supported operator, function or macro ` +
        `signature for rule: ${name}`
    : `${text} evaluating rule: ${name}`;
}

function messageOf(
  { rule, messageExpression }: CompiledRule,
  variables: ReadonlyMap<string, CelValue>,
  outcome: Outcome,
): string {
  const fallback = rule.message?.trim() || `failed rule: ${rule.rule.trim()}`;
  if (messageExpression === undefined) return fallback;
  try {
    const costMax = Math.min(celCallCostMax, Math.max(0, outcome.remaining));
    const { result, cost } = messageExpression.run(variables, costMax);
    outcome.remaining -= cost;
    return usableMessage(result) ?? fallback;
  } catch (error) {
    if (hasCode(error, 'CelCostExceeded')) outcome.remaining = -1;
    else if (!hasCode(error, 'CelEvaluationFailed')) throw error;
    return fallback;
  }
}

function ruleError({ rule, field }: CompiledRule, detail: string, place: RulePlace): FieldError {
  const path = field === '' ? place.path : childPath(place.path, field);
  const isLarge = place.type === 'object' || place.type === 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return requiredField(path, detail);
    case 'FieldValueDuplicate':
      return isLarge ? duplicateFieldOmitted(path) : duplicateField(path, place.value);
    default:
      return isLarge ? invalidFieldOmitted(path, detail) : invalidField(path, place.value, detail);
  }
}
