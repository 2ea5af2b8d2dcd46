/**
 * The filters of the CloudEvents Subscriptions API, compiled once into a function.
 *
 * I1. Whatever goes wrong in an expression lets no event pass: what a filter says is true, false or
 *     unknown, unknown stays unknown within `not`, and only true passes.
 */
import type { AttributeFilter, EventFilter } from '@fnlet/api';
import { errorMessage } from '@fnlet/base';
import { type CesqlProgram, compileCesql } from '../cesql/cesql-program.ts';
import type { EventAttributes } from '../event/cloud-event.ts';
import { FilterError } from './filter-error.ts';

/** A filter that contains others, however deep. */
type FilterTree = AttributeFilter & {
  readonly all?: readonly FilterTree[];
  readonly any?: readonly FilterTree[];
  readonly not?: FilterTree;
};

/** What a filter says of an event; `undefined` when it cannot tell. */
type Test = (attributes: EventAttributes) => boolean | undefined;

/**
 * Whether an event passes all of the filters. Capitals count, numbers and booleans are compared as
 * they are written, an attribute that is missing matches nothing.
 *
 * @throws FilterError
 *
 * @example
 * const passes = compileFilters([{ prefix: { type: 'com.example.' } }]);
 * passes(event.attributes);
 */
export function compileFilters(
  filters: readonly EventFilter[],
): (attributes: EventAttributes) => boolean {
  const test = all(filters.map((filter, index) => compile(filter, `filters[${index}]`)));
  return (attributes) => test(attributes) === true;
}

function compile(filter: FilterTree, path: string): Test {
  const { exact, prefix, suffix, cesql, all: every, any: some, not } = filter;
  if (exact !== undefined) return all(tests(exact, `${path}.exact`, isExact));
  if (prefix !== undefined) return all(tests(prefix, `${path}.prefix`, startsWith));
  if (suffix !== undefined) return all(tests(suffix, `${path}.suffix`, endsWith));
  if (cesql !== undefined) return compileExpression(cesql, `${path}.cesql`);
  if (every !== undefined) return all(compileEach(every, `${path}.all`));
  if (some !== undefined) return any(compileEach(some, `${path}.any`));
  if (not !== undefined) return negate(compile(not, `${path}.not`));
  throw new FilterError(`Cannot read ${path}: found no filter, expected one of exact, prefix, …`);
}

function compileEach(filters: readonly FilterTree[], path: string): readonly Test[] {
  return filters.map((filter, index) => compile(filter, `${path}[${index}]`));
}

function tests(
  attributes: Readonly<Record<string, string>>,
  path: string,
  create: (name: string, text: string) => Test,
): readonly Test[] {
  return Object.entries(attributes).map(([name, text]) => {
    if (/^[a-z0-9]+$/.test(name)) return create(name, text);
    throw new FilterError(
      `Cannot read ${path}: found the name "${name}", expected lower-case letters and digits`,
    );
  });
}

function isExact(name: string, text: string): Test {
  return (attributes) => textOf(attributes, name) === text;
}

function startsWith(name: string, text: string): Test {
  return (attributes) => textOf(attributes, name)?.startsWith(text) === true;
}

function endsWith(name: string, text: string): Test {
  return (attributes) => textOf(attributes, name)?.endsWith(text) === true;
}

function textOf(attributes: EventAttributes, name: string): string | undefined {
  const value = attributes[name];
  if (typeof value === 'string') return value;
  // An object has more than its attributes: one of its own is called `constructor`.
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function compileExpression(text: string, path: string): Test {
  const program = readExpression(text, path);
  return (attributes) => {
    const { value, troubles } = program.evaluate(attributes);
    return troubles.length === 0 && typeof value === 'boolean' ? value : undefined;
  };
}

/** What can never be true is refused too: nobody means it. */
function readExpression(text: string, path: string): CesqlProgram {
  let program: CesqlProgram;
  try {
    program = compileCesql(text);
  } catch (cause) {
    throw new FilterError(`Cannot read ${path}: ${errorMessage(cause)}`, { cause });
  }
  const { type = 'Boolean', troubles } = program;
  const [trouble] = troubles;
  if (trouble !== undefined) throw new FilterError(`Cannot read ${path}: ${trouble.message}`);
  if (type === 'Boolean') return program;
  throw new FilterError(
    `Cannot read ${path}: found an expression of type ${type}, expected Boolean`,
  );
}

function negate(test: Test): Test {
  return (attributes) => {
    const answer = test(attributes);
    return answer === undefined ? undefined : !answer;
  };
}

/** False as soon as one is false; otherwise unknown when one is unknown. */
function all(given: readonly Test[]): Test {
  const [only] = given;
  if (only !== undefined && given.length === 1) return only;
  return (attributes) => {
    let answer: boolean | undefined = true;
    for (const test of given) {
      const next = test(attributes);
      if (next === false) return false;
      if (next === undefined) answer = undefined;
    }
    return answer;
  };
}

/** True as soon as one is true; otherwise unknown when one is unknown. */
function any(given: readonly Test[]): Test {
  const none = all(given.map(negate));
  return negate(none);
}
