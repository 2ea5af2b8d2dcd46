import type { FieldError, JsonSchema, ValidationRule } from '@fnlet/machinery';
import { estimateCost } from './cel-cost.ts';
import { measureExtent } from './cel-extent.ts';
import type { CelExpression } from './cel-program.ts';
import { type CompiledRule, compileRule } from './cel-rule.ts';
import { bindSchema } from './cel-schema.ts';
import { product } from './cel-size.ts';
import { childPath, invalidField, notSupported, requiredField } from './field-message.ts';
import { resolveFieldPath } from './field-path.ts';
import { type CostedPlace, RuleCosts, runsMax, timesMax } from './rule-cost.ts';

/**
 * The rules of `x-kubernetes-validations`: complete, well-formed, and compiling against the types
 * of the place that they stand at. Those that are not well-formed are reported before any is
 * compiled, as upstream does. What they may cost is estimated: one by one, unless the schema is
 * known, and together.
 */
export function checkRules(
  schema: JsonSchema,
  path: string,
  { isKnown, passed }: { readonly isKnown: boolean; readonly passed: PassedRules },
): readonly FieldError[] {
  const place: Place = {
    schema,
    path,
    isResource: true,
    uncorrelated: undefined,
    occurrencesMax: 1,
  };
  const written = everywhere(place, checkWritten);
  if (written.length > 0) return written;
  const costs = new RuleCosts(isKnown);
  const errors = everywhere(place, (at) => checkCompiled(at, { costs, passed }));
  return [...errors, ...costs.check(path)];
}

/**
 * The costs of rules that compiled, by the part of a schema that they stand at. Versions of one
 * definition have most of their parts in common: whoever checks them all hands it on.
 */
export type PassedRules = Map<string, readonly RuleCost[]>;

/** What a rule may cost, and where that is written below its place. */
interface RuleCost {
  readonly field: string;
  readonly name: string;
  readonly cost: number;
}

interface Place {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly isResource: boolean;
  /** The list above whose items have no old values to compare with; undefined when none is. */
  readonly uncorrelated: string | undefined;
  /** How often it can be in one object; undefined: as often as it has room there. */
  readonly occurrencesMax: number | undefined;
}

function everywhere(
  place: Place,
  check: (place: Place) => readonly FieldError[],
): readonly FieldError[] {
  return [...childrenOf(place).flatMap((child) => everywhere(child, check)), ...check(place)];
}

function childrenOf(place: Place): readonly Place[] {
  const { schema, path, uncorrelated } = place;
  const occurrencesMax = timesMax(place.occurrencesMax, repeats(schema));
  const child = (inner: JsonSchema, field: string, blocked = uncorrelated): Place => ({
    schema: inner,
    path: childPath(path, field),
    isResource: inner['x-kubernetes-embedded-resource'] === true,
    uncorrelated: blocked,
    occurrencesMax,
  });
  const { additionalProperties, properties = {}, items } = schema;
  const isMapList = schema['x-kubernetes-list-type'] === 'map';
  return [
    ...(typeof additionalProperties === 'object'
      ? [child(additionalProperties, 'additionalProperties')]
      : []),
    ...Object.entries(properties).map(([name, inner]) => child(inner, `properties[${name}]`)),
    ...(items === undefined
      ? []
      : [child(items, 'items', isMapList ? uncorrelated : (uncorrelated ?? path))]),
  ];
}

/** How often a value holds another: an object once, a list or map as often as it may. */
function repeats({
  type,
  additionalProperties,
  maxProperties,
  maxItems,
}: JsonSchema): number | undefined {
  if (type === 'array') return maxItems;
  return type === 'object' && additionalProperties !== undefined ? maxProperties : 1;
}

function rulesOf({ schema, path }: Place): readonly (readonly [ValidationRule, string])[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.map((rule, i) => [rule, `${childPath(path, 'x-kubernetes-validations')}[${i}]`]);
}

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

function checkWritten(place: Place): readonly FieldError[] {
  return rulesOf(place).flatMap(([rule, path]) => [
    ...checkTexts(rule, path),
    ...checkFieldPath(rule, path, place.schema),
  ]);
}

function checkTexts(rule: ValidationRule, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { message = '', messageExpression, reason } = rule;
  if ((rule.rule ?? '').trim() === '') {
    errors.push(requiredField(`${path}.rule`, 'rule is not specified'));
  } else if (message !== '' && message.trim() === '') {
    errors.push(invalidField(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (hasNewlines(message.trim())) {
    errors.push(invalidField(`${path}.message`, message, 'must not contain line breaks'));
  } else if (hasNewlines(rule.rule.trim()) && message.trim() === '') {
    const detail = 'message must be specified if rule contains line breaks';
    errors.push(requiredField(`${path}.message`, detail));
  }
  if (messageExpression !== undefined && messageExpression !== '' && !messageExpression.trim()) {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(requiredField(`${path}.messageExpression`, detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  return errors;
}

function checkFieldPath(
  { fieldPath }: ValidationRule,
  path: string,
  schema: JsonSchema,
): readonly FieldError[] {
  if (fieldPath === undefined || fieldPath === '') return [];
  const invalid = (detail: string): FieldError =>
    invalidField(`${path}.fieldPath`, fieldPath, detail);
  return [
    ...(fieldPath.trim() === '' ? [invalid('must be non-empty if specified')] : []),
    ...(hasNewlines(fieldPath) ? [invalid('must not contain line breaks')] : []),
    ...(resolveFieldPath(fieldPath, schema) === undefined ? [invalid('must be a valid path')] : []),
  ];
}

function checkCompiled(
  place: Place,
  { costs, passed }: { readonly costs: RuleCosts; readonly passed: PassedRules },
): readonly FieldError[] {
  if (rulesOf(place).length === 0) return [];
  const { schema, path, isResource, uncorrelated, occurrencesMax } = place;
  const part = JSON.stringify([schema, isResource, uncorrelated === undefined, occurrencesMax]);
  const count = (all: readonly RuleCost[]): readonly FieldError[] =>
    all.flatMap(({ field, name, cost }) => costs.add(childPath(path, field), name, cost));
  const known = passed.get(part);
  if (known !== undefined) return count(known);
  const checked = compileRules(place);
  if (checked.errors.length === 0) passed.set(part, checked.costs);
  return [...count(checked.costs), ...checked.errors];
}

/** What is wrong with the rules of a place, and what those that compile cost. */
function compileRules(place: Place): {
  readonly errors: readonly FieldError[];
  readonly costs: readonly RuleCost[];
} {
  const { schema, isResource, occurrencesMax } = place;
  const binding = bindSchema(schema, isResource);
  const extent = measureExtent(schema, isResource);
  const costs: RuleCost[] = [];
  const errors = rulesOf(place).flatMap(([rule, path], i) => {
    const compiled = compileRule(rule, { schema, binding, keepsChecked: true });
    if (extent !== undefined) {
      costs.push(
        ...costsOf(compiled, `x-kubernetes-validations[${i}]`, { extent, occurrencesMax }),
      );
    }
    return checkUse(compiled, path, place);
  });
  return { errors, costs };
}

function costsOf(
  { expression, messageExpression }: CompiledRule,
  field: string,
  place: CostedPlace,
): readonly RuleCost[] {
  const once = ({ checked }: CelExpression): number =>
    checked === undefined ? 0 : estimateCost(checked, place.extent);
  if (expression === undefined) return [];
  const runs = runsMax(place);
  const cost = product(once(expression), runs);
  const own = { field: `${field}.rule`, name: 'estimated rule cost', cost };
  if (messageExpression === undefined) return [own];
  const name = 'estimated messageExpression cost';
  return [own, { field: `${field}.messageExpression`, name, cost: once(messageExpression) }];
}

function checkUse(compiled: CompiledRule, path: string, place: Place): readonly FieldError[] {
  const { rule, error, messageError, usesOldSelf } = compiled;
  if (error !== undefined) return [invalidField(`${path}.rule`, rule, error)];
  const errors: FieldError[] = [];
  if (messageError !== undefined) {
    errors.push(invalidField(`${path}.messageExpression`, rule, messageError));
  }
  if (usesOldSelf && place.uncorrelated !== undefined) {
    const detail =
      'oldSelf cannot be used on the uncorrelatable portion of the schema ' +
      `within ${place.uncorrelated}`;
    errors.push(invalidField(`${path}.rule`, rule.rule, detail));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    errors.push(invalidField(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return errors;
}

function hasNewlines(text: string): boolean {
  return /[\n\r]/.test(text);
}
