import type { FieldError, JsonSchema } from '@fnlet/machinery';
import { invalidField, quote } from './field-message.ts';
import type { ValueCheck } from './value-check.ts';

/**
 * Compiles allOf, anyOf, oneOf and not; `undefined` when the schema has none of them. A junctor's
 * own error has no field (upstream gives it none), so the path stands in its text; the errors of
 * the alternative that agreed most come with it.
 */
export function compileJunctorCheck(
  schema: JsonSchema,
  compile: (schema: JsonSchema) => ValueCheck,
): ValueCheck | undefined {
  const checks = [
    compileAnyOf((schema.anyOf ?? []).map(compile)),
    compileOneOf((schema.oneOf ?? []).map(compile)),
    compileAllOf((schema.allOf ?? []).map(compile)),
    compileNot(schema.not === undefined ? undefined : compile(schema.not)),
  ].filter((check) => check !== undefined);
  if (checks.length === 0) return undefined;
  return (value, old, path, errors) => {
    let matches = 0;
    for (const check of checks) matches += check(value, old, path, errors);
    return matches;
  };
}

function junctorError(path: string, text: string): FieldError {
  return invalidField('', '', `${quote(path)} ${text}`);
}

interface Attempt {
  readonly matches: number;
  readonly errors: readonly FieldError[];
}

/** A value, its old value, and its path: the first three arguments of a check. */
type Subject = readonly [value: unknown, old: unknown, path: string];

function attempt(check: ValueCheck, subject: Subject): Attempt {
  const errors: FieldError[] = [];
  const matches = check(...subject, errors);
  return { matches, errors };
}

function closest(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.reduce<Attempt | undefined>(
    (best, next) => (best === undefined || next.matches > best.matches ? next : best),
    undefined,
  );
}

function compileAnyOf(checks: readonly ValueCheck[]): ValueCheck | undefined {
  if (checks.length === 0) return undefined;
  return (value, old, path, errors) => {
    const failures: Attempt[] = [];
    for (const check of checks) {
      const tried = attempt(check, [value, old, path]);
      if (tried.errors.length === 0) return tried.matches;
      failures.push(tried);
    }
    const best = closest(failures);
    errors.push(junctorError(path, 'must validate at least one schema (anyOf)'));
    errors.push(...(best?.errors ?? []));
    return best?.matches ?? 0;
  };
}

function compileOneOf(checks: readonly ValueCheck[]): ValueCheck | undefined {
  if (checks.length === 0) return undefined;
  return (value, old, path, errors) => {
    const tried = checks.map((check) => attempt(check, [value, old, path]));
    const valid = tried.filter((one) => one.errors.length === 0);
    const [first] = valid;
    if (first !== undefined && valid.length === 1) return first.matches;
    const found = first === undefined ? 'none valid' : `${valid.length} valid alternatives`;
    const text = `must validate one and only one schema (oneOf). Found ${found}`;
    errors.push(junctorError(path, text));
    const best = first === undefined ? closest(tried) : undefined;
    errors.push(...(best?.errors ?? []));
    return best?.matches ?? 0;
  };
}

function compileAllOf(checks: readonly ValueCheck[]): ValueCheck | undefined {
  if (checks.length === 0) return undefined;
  return (value, old, path, errors) => {
    const tried = checks.map((check) => attempt(check, [value, old, path]));
    const valid = tried.filter((one) => one.errors.length === 0).length;
    for (const one of tried) errors.push(...one.errors);
    if (valid !== tried.length) {
      const none = valid === 0 ? '. None validated' : '';
      errors.push(junctorError(path, `must validate all the schemas (allOf)${none}`));
    }
    return tried.reduce((sum, one) => sum + one.matches, 0);
  };
}

function compileNot(check: ValueCheck | undefined): ValueCheck | undefined {
  if (check === undefined) return undefined;
  return (value, old, path, errors) => {
    if (attempt(check, [value, old, path]).errors.length === 0) {
      errors.push(junctorError(path, 'must not validate the schema (not)'));
    }
    return 0;
  };
}
