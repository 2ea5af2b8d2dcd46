import { errorMessage } from '@fnlet/base';
import type { CelAuthorizer, CelResourceCheck } from './cel-access.ts';
import { celError } from './cel-error.ts';
import { formatAny } from './cel-format.ts';
import {
  bindVariable,
  type CelExpression,
  type CelVariable,
  compileExpression,
} from './cel-program.ts';
import { celToJson } from './cel-schema.ts';
import { structProblem } from './cel-struct.ts';
import { type CelObjectType, type CelType, dynType, formatCelType } from './cel-type.ts';
import type { CelMap, CelValue } from './cel-value.ts';
import { celCallCostMax } from './limits.ts';

/** What expressions that belong together know. */
export interface CelCompositionOptions {
  readonly variables: Readonly<Record<string, CelVariable>>;
  /** Whether they may ask about access: `authorizer` and `authorizer.requestResource`. */
  readonly hasAuthorizer?: boolean;
  /** Whether there are named expressions: without, `variables` is unknown. */
  readonly hasNamed?: boolean;
}

/** What one expression of a composition may do. */
export interface ComposeOptions {
  /** Default: as the composition. */
  readonly hasAuthorizer?: boolean;
  /**
   * Whether it may construct patches: `Object{…}`, `JSONPatch{…}`, and `jsonpatch.escapeKey(…)`. The
   * named expressions of a composition may not. Default false.
   */
  readonly hasPatchTypes?: boolean;
}

/** One expression of a composition. */
export interface ComposedExpression {
  /** The type of the result: `bool`, `string`, `list(int)`, `dyn`, … */
  readonly type: string;
}

/** The values of one evaluation. */
export interface CompositionValues {
  /** JSON by the names of the variables. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly authorizer?: CelAuthorizer;
  /** What `authorizer.requestResource` is about. */
  readonly requestResource?: CelResourceCheck;
}

/** An expression with its value. */
export interface ComposedResult {
  /** The value as JSON, or the error in cel-go's words. */
  readonly value: unknown;
  readonly problem?: string;
  /** What it took, with the named expressions that it was the first to ask for. */
  readonly cost: number;
}

const variablesName = 'variables';

interface Named {
  readonly type: CelType;
  readonly expression: CelExpression | undefined;
  readonly problem: string;
}

/**
 * Expressions of one policy, which share their variables and the expressions that are named among
 * them (KEP-3488, variable composition).
 *
 * I1. A named expression is evaluated when it is first asked for, and once for all that ask.
 * I2. It knows those that were named before it, and no others.
 */
export class CelComposition {
  readonly #bindings: ReadonlyMap<string, ReturnType<typeof bindVariable>>;
  readonly #hasAuthorizer: boolean;
  readonly #hasNamed: boolean;
  readonly #named = new Map<string, Named>();

  constructor({ variables, hasAuthorizer = false, hasNamed = false }: CelCompositionOptions) {
    const entries = Object.entries(variables);
    this.#bindings = new Map(entries.map(([name, one]) => [name, bindVariable(one)]));
    this.#hasAuthorizer = hasAuthorizer;
    this.#hasNamed = hasNamed;
  }

  /** Names an expression `variables.<name>`, and returns why it cannot be used, if it cannot. */
  define(name: string, source: string): string | undefined {
    try {
      const expression = this.#compile(source, { hasAuthorizer: this.#hasAuthorizer });
      this.#named.set(name, { type: expression.type, expression, problem: '' });
      return undefined;
    } catch (error) {
      const problem = errorMessage(error);
      this.#named.set(name, { type: dynType, expression: undefined, problem });
      return problem;
    }
  }

  /**
   * Compiles an expression that knows what was named so far.
   *
   * @throws CelError `CelCompilationFailed`
   */
  compile(
    source: string,
    { hasAuthorizer = this.#hasAuthorizer, hasPatchTypes = false }: ComposeOptions = {},
  ): ComposedExpression {
    const expression = this.#compile(source, { hasAuthorizer, hasPatchTypes });
    return new Composed(source, expression);
  }

  /** Begins an evaluation with these values. */
  evaluate(values: CompositionValues): (expression: ComposedExpression) => ComposedResult {
    const known = this.#read(values);
    let namedCost = 0;
    const shared = new LazyFields(this.#named, (expression) => {
      const { result, cost } = expression.run(known, celCallCostMax);
      namedCost += cost;
      return result;
    });
    known.set(variablesName, shared);
    return (expression) => {
      if (!(expression instanceof Composed)) throw new Error('Broken invariant: not compiled here');
      namedCost = 0;
      const { source, code } = expression;
      try {
        const { result, cost } = code.run(known, celCallCostMax);
        const total = cost + namedCost;
        const problem = structProblem(result);
        if (problem !== undefined) return { value: undefined, problem, cost: total };
        return { value: celToJson(result, formatAny), cost: total };
      } catch (error) {
        const problem = `expression '${source}' resulted in error: ${errorMessage(error)}`;
        return { value: undefined, problem, cost: namedCost };
      }
    };
  }

  #compile(
    source: string,
    { hasAuthorizer, hasPatchTypes = false }: ComposeOptions,
  ): CelExpression {
    const types = new Map<string, { readonly type: CelType }>(this.#bindings);
    if (hasAuthorizer === true) {
      types.set('authorizer', { type: { kind: 'authorizer' } });
      types.set('authorizer.requestResource', { type: { kind: 'resourceCheck' } });
    }
    const fields = new Map([...this.#named].map(([name, { type }]) => [name, { name, type }]));
    const type: CelObjectType = { kind: 'object', fields };
    if (this.#hasNamed) types.set(variablesName, { type });
    return compileExpression(source, types, { hasPatchTypes });
  }

  #read({ variables, authorizer, requestResource }: CompositionValues): Map<string, CelValue> {
    const read = new Map<string, CelValue>();
    for (const [name, binding] of this.#bindings) {
      const value = binding.read(Object.hasOwn(variables, name) ? variables[name] : undefined);
      if (value !== undefined) read.set(name, value);
    }
    if (authorizer !== undefined) {
      read.set('authorizer', { kind: 'authorizer', authorizer });
      if (requestResource !== undefined) {
        const check = requestResource;
        read.set('authorizer.requestResource', { kind: 'resourceCheck', authorizer, check });
      }
    }
    return read;
  }
}

class Composed implements ComposedExpression {
  readonly source: string;
  readonly code: CelExpression;

  constructor(source: string, code: CelExpression) {
    this.source = source;
    this.code = code;
  }

  get type(): string {
    return formatCelType(this.code.type);
  }
}

/** The named expressions as fields, each evaluated when it is first read. */
class LazyFields implements CelMap {
  readonly kind = 'map';
  readonly #named: ReadonlyMap<string, Named>;
  readonly #run: (expression: CelExpression) => CelValue;
  readonly #values = new Map<string, { readonly value: CelValue } | { readonly error: Error }>();

  constructor(named: ReadonlyMap<string, Named>, run: (expression: CelExpression) => CelValue) {
    this.#named = named;
    this.#run = run;
  }

  get size(): number {
    return this.#named.size;
  }

  keys(): readonly CelValue[] {
    return [...this.#named.keys()];
  }

  get(key: CelValue): CelValue | undefined {
    const named = typeof key === 'string' ? this.#named.get(key) : undefined;
    if (named === undefined || typeof key !== 'string') return undefined;
    const known = this.#values.get(key) ?? this.#evaluate(key, named);
    this.#values.set(key, known);
    if ('error' in known) throw known.error;
    return known.value;
  }

  #evaluate(
    name: string,
    { expression, problem }: Named,
  ): { readonly value: CelValue } | { readonly error: Error } {
    if (expression === undefined) {
      return { error: celError(`composited variable "${name}" fails to compile: ${problem}`) };
    }
    try {
      return { value: this.#run(expression) };
    } catch (error) {
      const text = errorMessage(error);
      return { error: celError(`composited variable "${name}" fails to evaluate: ${text}`) };
    }
  }
}
