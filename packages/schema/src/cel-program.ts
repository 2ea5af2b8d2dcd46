import type { JsonSchema } from '@fnlet/machinery';
import { compileNode } from './cel-compiler.ts';
import { formatAny } from './cel-format.ts';
import { parseCel } from './cel-parser.ts';
import { CelRun } from './cel-run.ts';
import { bindSchema, type CelBinding, celToJson, dynBinding } from './cel-schema.ts';
import type { CelScope } from './cel-scope.ts';
import type { CelNode } from './cel-syntax.ts';
import { type CelType, formatCelType } from './cel-type.ts';
import { type CelValue, celNone } from './cel-value.ts';
import { celCallCostMax } from './limits.ts';
import type { Regex } from './regex.ts';

/** What an expression knows of a variable. */
export type CelVariable =
  /** Nothing: types are looked at when the expression runs. */
  | 'dyn'
  | {
      readonly schema: JsonSchema;
      /** `'resource'`: a whole object, with apiVersion, kind, and metadata's names. */
      readonly root?: 'resource';
      /** Whether the variable is a CEL optional, empty when no value is given. */
      readonly optional?: boolean;
      /**
       * Whether it is a message of the API itself, whose fields are named as they are: of other
       * objects, `namespace` is written `__namespace__`. Default false.
       */
      readonly isMessage?: boolean;
    };

export interface CelProgram {
  /** The type of the result: `bool`, `string`, `list(int)`, `dyn`, … */
  readonly type: string;
  /** The variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
  /**
   * Runs the expression on JSON values and returns its result as JSON (timestamps and durations as
   * text).
   *
   * @throws CelError `CelEvaluationFailed` when it has no value; `CelCostExceeded` when it needs
   * more than `costMax` (default 1 000 000, about 0.1 s)
   */
  evaluate(
    values: Readonly<Record<string, unknown>>,
    options?: { readonly costMax?: number },
  ): unknown;
}

/**
 * Compiles a CEL expression with the functions that Kubernetes gives to validation rules.
 *
 * @example
 * const isReady = compileCel('object.status.ready > 0', { object: 'dyn' });
 * isReady.evaluate({ object: { status: { ready: 1 } } }); // true
 *
 * @throws CelError `CelCompilationFailed`, with the place marked as cel-go prints it
 */
export function compileCel(
  expression: string,
  variables: Readonly<Record<string, CelVariable>>,
): CelProgram {
  const bindings = new Map(
    Object.entries(variables).map(([name, variable]) => [name, bindVariable(variable)]),
  );
  const compiled = compileExpression(expression, bindings);
  return {
    type: formatCelType(compiled.type),
    variables: compiled.used,
    evaluate: (values, options = {}) => {
      const read = new Map<string, CelValue>();
      for (const name of compiled.used) {
        const value = bindings
          .get(name)
          ?.read(Object.hasOwn(values, name) ? values[name] : undefined);
        if (value !== undefined) read.set(name, value);
      }
      const { result } = compiled.run(read, options.costMax ?? celCallCostMax);
      return celToJson(result, formatAny);
    },
  };
}

/** A variable as expressions see it. */
export interface BoundVariable {
  readonly type: CelType;
  /** The value for JSON; `undefined` for a variable that is not given. */
  read(json: unknown): CelValue | undefined;
}

export function bindVariable(variable: CelVariable): BoundVariable {
  if (variable === 'dyn') return required(dynBinding);
  const { schema, root, isMessage = false } = variable;
  const names = isMessage ? (name: string) => name : undefined;
  const binding = bindSchema(schema, root === 'resource', names) ?? dynBinding;
  return variable.optional === true ? optional(binding) : required(binding);
}

function required({ type, read }: CelBinding): BoundVariable {
  return { type, read: (json) => (json === undefined ? undefined : read(json)) };
}

function optional({ type, read }: CelBinding): BoundVariable {
  return {
    type: { kind: 'optional', value: type },
    read: (json) => (json === undefined ? celNone : { kind: 'optional', value: read(json) }),
  };
}

/** An expression over CEL values, for who binds its variables himself. */
export interface CelExpression {
  readonly type: CelType;
  /** Its parts, if they were asked for: whoever only runs it need not keep them. */
  readonly checked?: CheckedExpression;
  readonly used: ReadonlySet<string>;
  run(
    values: ReadonlyMap<string, CelValue>,
    costMax: number,
  ): { readonly result: CelValue; readonly cost: number };
}

function rootScope(
  source: string,
  variables: ReadonlyMap<string, { readonly type: CelType }>,
  hasPatchTypes: boolean,
): CelScope {
  const slots = [...variables].map(([name, { type }], slot) => [name, { slot, type }] as const);
  return {
    ...{ source, variables: new Map(slots), size: slots.length, hasPatchTypes },
    used: new Set(),
  };
}

/** A parsed expression, and the type of each of its parts. */
export interface CheckedExpression {
  readonly node: CelNode;
  readonly types: ReadonlyMap<CelNode, CelType>;
}

/** What an expression is compiled for. */
export interface CompileOptions {
  /** Whether whoever asks wants to see its parts. Default false. */
  readonly keepsChecked?: boolean;
  /** Whether it may construct patches: `Object{…}`, `JSONPatch{…}`. Default false. */
  readonly hasPatchTypes?: boolean;
}

/** Parses, checks and compiles. Throws a CelError (`CelCompilationFailed`). */
export function compileExpression(
  expression: string,
  variables: ReadonlyMap<string, { readonly type: CelType }>,
  { keepsChecked = false, hasPatchTypes = false }: CompileOptions = {},
): CelExpression {
  const names = [...variables.keys()];
  const types = new Map<CelNode, CelType>();
  const root = rootScope(expression, variables, hasPatchTypes);
  const scope = keepsChecked ? { ...root, types } : root;
  const node = parseCel(expression);
  const code = compileNode(node, scope);
  const regexes = new Map<string, Regex>();
  return {
    type: code.type,
    ...(keepsChecked ? { checked: { node, types } } : {}),
    used: new Set(names.filter((name) => scope.used.has(name))),
    run: (values, costMax) => {
      const run = new CelRun(
        names.map((name) => values.get(name)),
        costMax,
        regexes,
      );
      run.charge(code.cost);
      return { result: code.run(run), cost: run.cost };
    },
  };
}
