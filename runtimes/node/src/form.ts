import { limits } from './limits.ts';

/** Names of levels by which a careless merge reaches into the prototype of every object. */
const refusedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

type Form = { [name: string]: FormValue };
type FormValue = string | FormValue[] | Form;

/**
 * Reads application/x-www-form-urlencoded text as the web frameworks of Node do: a name that comes
 * twice, or ends in `[]`, is a list; `a[b][c]=1` is `{ a: { b: { c: '1' } } }`. What is nested
 * deeper than `formDepthMax` keeps its brackets in its name.
 */
export function parseForm(text: string): Readonly<Record<string, unknown>> {
  const form: Form = {};
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    count += 1;
    if (count > limits.formFieldsMax) break;
    const path = pathOf(name);
    const isNested = path.length > 1;
    if (!isNested || !path.some((part) => refusedNames.has(part))) put(form, path, value);
  }
  return form;
}

// `a[b][]` is a, b, and an empty name, which stands for the next place of a list.
function pathOf(name: string): readonly string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
  const [, first = '', brackets = ''] = match ?? [];
  if (match === null) return [name];
  const parts = brackets.slice(1, -1).split('][');
  if (parts.length < limits.formDepthMax) return [first, ...parts];
  const kept = parts.slice(0, limits.formDepthMax - 1);
  const rest = parts.slice(limits.formDepthMax - 1).map((part) => `[${part}]`);
  return [first, ...kept, rest.join('')];
}

function put(form: Form, path: readonly string[], value: string): void {
  let target: Form = form;
  for (const [index, name] of path.entries()) {
    const next = path[index + 1];
    const there = Object.hasOwn(target, name) ? target[name] : undefined;
    if (next === undefined) {
      define(target, name, added(there, value));
      return;
    }
    if (next === '' && index + 2 === path.length) {
      define(target, name, added(there ?? [], value));
      return;
    }
    const inner: Form = isForm(there) ? there : {};
    if (inner !== there) define(target, name, there === undefined ? inner : added(there, inner));
    target = inner;
  }
}

// By assignment `__proto__` would be no field.
function define(target: Form, name: string, value: FormValue): void {
  const field = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(target, name, field);
}

function added(there: FormValue | undefined, value: FormValue): FormValue {
  if (there === undefined) return value;
  return Array.isArray(there) ? [...there, value] : [there, value];
}

function isForm(value: FormValue | undefined): value is Form {
  return typeof value === 'object' && !Array.isArray(value);
}
