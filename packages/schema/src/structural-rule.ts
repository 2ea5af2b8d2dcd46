import type { FieldError, JsonSchema, ValidationRule } from '@fnlet/machinery';
import { type CompiledRule, compileRule } from './cel-rule.ts';
import { bindSchema } from './cel-schema.ts';
import { childPath, invalidField, notSupported, requiredField } from './field-message.ts';
import { resolveFieldPath } from './field-path.ts';

/**
 * The rules of `x-kubernetes-validations`: complete, well-formed, and compiling against the types
 * of the place that they stand at. Those that are not well-formed are reported before any is
 * compiled, as upstream does.
 */
export function checkRules(schema: JsonSchema, path: string): readonly FieldError[] {
  const place: Place = { schema, path, isResource: true, uncorrelated: undefined };
  const written = everywhere(place, checkWritten);
  return written.length > 0 ? written : everywhere(place, checkCompiled);
}

interface Place {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly isResource: boolean;
  /** The list above whose items have no old values to compare with; undefined when none is. */
  readonly uncorrelated: string | undefined;
}

function everywhere(
  place: Place,
  check: (place: Place) => readonly FieldError[],
): readonly FieldError[] {
  return [...childrenOf(place).flatMap((child) => everywhere(child, check)), ...check(place)];
}

function childrenOf({ schema, path, uncorrelated }: Place): readonly Place[] {
  const child = (inner: JsonSchema, field: string, blocked = uncorrelated): Place => ({
    schema: inner,
    path: childPath(path, field),
    isResource: inner['x-kubernetes-embedded-resource'] === true,
    uncorrelated: blocked,
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

function checkCompiled(place: Place): readonly FieldError[] {
  const rules = rulesOf(place);
  if (rules.length === 0) return [];
  const binding = bindSchema(place.schema, place.isResource);
  return rules.flatMap(([rule, path]) => {
    const compiled = compileRule(rule, place.schema, binding);
    return checkUse(compiled, path, place);
  });
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
