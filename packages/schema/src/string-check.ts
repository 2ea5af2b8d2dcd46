import { errorMessage } from '@fnlet/base';
import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { invalidField, tooLong, wrongType } from './field-message.ts';
import { compileRegex } from './regex.ts';
import { formatCheck } from './string-format.ts';
import type { PlainCheck } from './value-check.ts';

/** Compiles the rules for strings; `undefined` when the schema has none. */
export function compileStringCheck(schema: JsonSchema): PlainCheck<string> | undefined {
  const rules = [compileMaxLength(schema), compileMinLength(schema), compilePattern(schema)];
  const checks = rules.filter((rule) => rule !== undefined);
  const checkFormat = compileFormat(schema);
  if (checks.length === 0 && checkFormat === undefined) return undefined;
  return (value, path, errors) => {
    // The first broken rule hides the others, as upstream does: a text that is too long is not
    // matched against its pattern.
    for (const check of checks) {
      const error = check(value, path);
      if (error === undefined) continue;
      errors.push(error);
      break;
    }
    checkFormat?.(value, path, errors);
  };
}

type Rule = (value: string, path: string) => FieldError | undefined;

/** The length of a text in code points, which is what Kubernetes counts. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      count -= 1;
      i += 1;
    }
  }
  return count;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function compileMaxLength({ maxLength }: JsonSchema): Rule | undefined {
  if (maxLength === undefined) return undefined;
  return (value, path) =>
    value.length > maxLength && codePoints(value) > maxLength
      ? tooLong(path, maxLength)
      : undefined;
}

function compileMinLength({ minLength }: JsonSchema): Rule | undefined {
  if (minLength === undefined) return undefined;
  return (value, path) =>
    codePoints(value) < minLength
      ? invalidField(path, value, `${path} in body should be at least ${minLength} chars long`)
      : undefined;
}

function compilePattern({ pattern }: JsonSchema): Rule | undefined {
  if (pattern === undefined || pattern === '') return undefined;
  const expected = (path: string, note: string): string =>
    `${path} in body should match '${pattern}${note}'`;
  try {
    const regex = compileRegex(pattern);
    return (value, path) =>
      regex.test(value) ? undefined : invalidField(path, value, expected(path, ''));
  } catch (error) {
    // A CRD with such a pattern is refused by checkStructural; a builtin schema has none.
    const note = `, but pattern is invalid: ${errorMessage(error)}`;
    return (value, path) => invalidField(path, value, expected(path, note));
  }
}

function compileFormat(schema: JsonSchema): PlainCheck<string> | undefined {
  const { type, format } = schema;
  if (format === undefined || (type !== undefined && type !== 'string')) return undefined;
  const isValid = formatCheck(format);
  if (isValid === undefined) return undefined;
  return (value, path, errors) => {
    if (isValid(value)) return;
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    errors.push(wrongType(path, value, detail));
  };
}
