import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { duplicate, invalid, missing, notSupported, tooMany } from './refusal.ts';

// The vocabulary in which the validation of builtin kinds is written: rules are values, tables are
// rules, and a kind's rules read like its reference page.
//
// Every rule but `required` accepts a value that is not set, so a table only says `required` where
// Kubernetes does. Wrong JSON types are refused before, when the body is decoded.

/** What is wrong with a value that stands at `path`; empty when nothing is. */
export type Rule = (value: unknown, path: string) => readonly FieldError[];

/** Whether a value counts as not given: null, or the empty text, list or number that Go drops. */
export function isUnset(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** The path of a field; the fields of the object itself have no parent. */
export function child(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** The value must be there, then obey the rules; `why` follows `Required value`. */
export function required(rule: Rule = accept, why = ''): Rule {
  return (value, path) => {
    const isEmpty = isUnset(value) || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [missing(path, why)] : rule(value, path);
  };
}

/** Accepts everything. */
export const accept: Rule = () => [];

/** Every rule, in order. */
export function all(...rules: readonly Rule[]): Rule {
  return (value, path) => rules.flatMap((rule) => rule(value, path));
}

/** A rule that only speaks about a value that is there. */
export function whenSet(rule: Rule): Rule {
  return (value, path) => (isUnset(value) ? [] : rule(value, path));
}

/**
 * The rules of an object's fields, in this order; a missing object is one without fields, which is
 * how Go sees a struct. Use `optional` for one behind a pointer.
 */
export function fields(table: Readonly<Record<string, Rule>>): Rule {
  const entries = Object.entries(table);
  return (value, path) => {
    const object: JsonObject = isJsonObject(value) ? value : {};
    return entries.flatMap(([name, rule]) => rule(object[name], child(path, name)));
  };
}

/** The rules of an object that may be left out. */
export function optional(table: Readonly<Record<string, Rule>>): Rule {
  return whenSet(fields(table));
}

/** The rule of every item of a list. */
export function each(rule: Rule): Rule {
  return (value, path) =>
    Array.isArray(value) ? value.flatMap((item, i) => rule(item, `${path}[${i}]`)) : [];
}

/** The rules of every key and value of a map; both are told at `path[key]`. */
export function entriesOf(key: Rule, value: Rule = accept): Rule {
  return (map, path) =>
    Object.entries(isJsonObject(map) ? map : {}).flatMap(([name, item]) => {
      const at = `${path}[${name}]`;
      return [...key(name, at), ...value(item, at)];
    });
}

/** One of these texts. */
export function oneOf(...known: readonly string[]): Rule {
  return (value, path) =>
    isUnset(value) || known.some((name) => name === value)
      ? []
      : [notSupported(path, value, known)];
}

/** A number of at least `least`. */
export function atLeast(least: number): Rule {
  return must(
    (value) => typeof value !== 'number' || value >= least,
    `must be greater than or equal to ${least}`,
  );
}

/** A number from `least` to `most`. */
export function between(least: number, most: number): Rule {
  return must(
    (value) => typeof value !== 'number' || (value >= least && value <= most),
    `must be between ${least} and ${most}, inclusive`,
  );
}

/** A value that passes the test, or the problem is told. */
export function must(test: (value: unknown) => boolean, problem: string): Rule {
  return (value, path) => (isUnset(value) || test(value) ? [] : [invalid(path, value, problem)]);
}

/**
 * A value that passes the test, or the problem is told: of one that is not set too, which is `zero`
 * to Go.
 */
export function always(
  zero: string | number,
  test: (value: unknown) => boolean,
  problem: string,
): Rule {
  return (given, path) => {
    const value = given ?? zero;
    return test(value) ? [] : [invalid(path, value, problem)];
  };
}

/** One of these texts; what is not set is the empty one. */
export function alwaysOneOf(...known: readonly string[]): Rule {
  return (value, path) =>
    known.some((name) => name === value) ? [] : [notSupported(path, value ?? '', known)];
}

/** A text without any of these problems. */
export function problemFree(problemsOf: (text: string) => readonly string[]): Rule {
  return (value, path) =>
    typeof value !== 'string' || value === ''
      ? []
      : problemsOf(value).map((problem) => invalid(path, value, problem));
}

/** No more than so many items. */
export function atMostItems(countMax: number): Rule {
  return (value, path) =>
    Array.isArray(value) && value.length > countMax ? [tooMany(path, value.length, countMax)] : [];
}

/** No two items of the list have the same value in this field. */
export function uniqueBy(field: string): Rule {
  return (list, path) => {
    const seen = new Set<unknown>();
    return (Array.isArray(list) ? list : []).flatMap((item: unknown, i) => {
      const value = isJsonObject(item) ? item[field] : undefined;
      if (isUnset(value)) return [];
      if (seen.has(value)) return [duplicate(`${path}[${i}].${field}`, value)];
      seen.add(value);
      return [];
    });
  };
}

/** A rule about several fields of an object, told wherever it says. */
export function about(look: (object: JsonObject, path: string) => readonly FieldError[]): Rule {
  return (value, path) => look(isJsonObject(value) ? value : {}, path);
}
