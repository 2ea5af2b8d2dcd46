import type { Compatibility, HandlerStyle } from '@fnlet/invocation';
import type { Operator } from '@fnlet/sdk/operator';
import { parameterNames } from './parameter-names.ts';

/** What answers calls: a function of the user's, or an operator. */
export type Handler = FunctionHandler | OperatorHandler;

/** A function of the user's that answers calls, with its `this` in place. */
export interface FunctionHandler {
  /** `request`: the newer form of Kyma's, `(req, res)`. */
  readonly style: HandlerStyle | 'request';
  readonly call: (...input: readonly unknown[]) => unknown;
  /** Takes over connections that ask for another protocol, when the module exports `upgrade`. */
  readonly upgrade: ((...input: readonly unknown[]) => unknown) | undefined;
}

/** An operator of the user's, which a hub asks what is wanted. */
export interface OperatorHandler {
  readonly style: 'operator';
  readonly operator: Operator;
  readonly upgrade: undefined;
}

export type HandlerSearch =
  | { readonly kind: 'found'; readonly handler: Handler }
  | { readonly kind: 'missing'; readonly message: string };

/** Whose ways a function keeps, when they are not Fnlet's own. */
export interface HandlerSystem {
  readonly compatibility: Compatibility;
  readonly runtime: string;
}

/**
 * Finds the function that answers calls among the exports of a module. The first that is there:
 *
 * - an export of that name that is an operator (operator style);
 * - for `default`: a default export that is a function or has `fetch` (web style); `main`, exported
 *   by name or on the default export (event style);
 * - for any other name: that export, or that member of the default export (event style; AWS, Kyma
 *   and Kubeless all call it so).
 *
 * A function of Kyma or Kubeless has no web style: `default` stands for `main`, and without that a
 * module that is a function is the handler. For Kubeless such a module always is.
 *
 * `exports` is the namespace of the module. For CommonJS its `default` is `module.exports`, so that
 * arrow functions, shorthand methods, class instances and variables are found on it although
 * Node's static analysis does not see their names. A class is no handler, for nobody says when to
 * make an instance of it; its static members count as those of an object.
 */
export function findHandler(
  exports: Namespace,
  exportName: string,
  system?: HandlerSystem,
): HandlerSearch {
  const main = mainExport(exports);
  const operator = operatorCalled(exportName, exports, main);
  if (system === undefined && operator !== undefined) {
    return { kind: 'found', handler: { style: 'operator', operator, upgrade: undefined } };
  }
  const upgrade = bound(exports, 'upgrade') ?? bound(main, 'upgrade');
  const found = (style: FunctionHandler['style'], call: Callable): HandlerSearch => ({
    kind: 'found',
    handler: { style, call, upgrade },
  });
  if (exportName === 'default' && system === undefined) {
    const web = isCallable(main) ? main : bound(main, 'fetch');
    if (web !== undefined) return found('web', (...input) => web(...input));
  }
  const name = exportName === 'default' ? 'main' : exportName;
  const owner = [exports, main].find((candidate) => method(candidate, name) !== undefined);
  const named = method(owner, name);
  const call = bound(owner, name);
  const isModule = isCallable(main) && 'module.exports' in exports;
  const isItself =
    isCallable(main) && (named === undefined || system?.compatibility === 'kubeless');
  if (system !== undefined && isItself && (isModule || named === undefined)) {
    return found(styleOf(main, system), (...input) => main(...input));
  }
  if (named === undefined || call === undefined) {
    return { kind: 'missing', message: missing(exports, main, exportName) };
  }
  return found(system === undefined ? 'event' : styleOf(named, system), call);
}

// Kyma's forms are told apart by the runtime; a function that names its parameters says it itself.
function styleOf(
  handler: Callable,
  { compatibility, runtime }: HandlerSystem,
): FunctionHandler['style'] {
  if (compatibility === 'kubeless') return 'kubeless';
  const [first = '', second = ''] = parameterNames(handler);
  if (/^_?req(uest)?$/.test(first) && /^_?res(ponse)?$/.test(second)) return 'request';
  return runtime === 'nodejs26' && !/^_?(event|evt|e)$/.test(first) ? 'request' : 'kyma';
}

export type Namespace = Readonly<Record<string, unknown>>;
type Callable = (...input: readonly unknown[]) => unknown;

// What a bundler or tsc made of an ES module is CommonJS with its default export one level down; so
// is `exports.default = …` written by hand, unless it is a member of a function.
function mainExport(exports: Namespace): unknown {
  const main = exports.default;
  if (!isObject(main) || !('default' in main)) return main;
  const isWritten = main === exports['module.exports'] && isCallable(main.default);
  return main.__esModule === true || (isWritten && !isCallable(main)) ? main.default : main;
}

function method(owner: unknown, name: string): Callable | undefined {
  if (!isObject(owner)) return undefined;
  const member = owner[name];
  return isCallable(member) && !isBuiltIn(name, member) ? member : undefined;
}

function bound(owner: unknown, name: string): Callable | undefined {
  return method(owner, name)?.bind(owner);
}

// Methods of a class count, those that every object or function has do not.
function isBuiltIn(name: string, member: Callable): boolean {
  return [Object.prototype, Function.prototype].some((prototype) => {
    const inherited: unknown = Reflect.get(prototype, name);
    return inherited === member;
  });
}

function missing(exports: Namespace, main: unknown, exportName: string): string {
  const expected =
    exportName === 'default'
      ? 'a default export (request, context) or an export main(event, context)'
      : `a function exported as "${exportName}"`;
  return `found ${foundExports(exports, main)}, expected ${expected}`;
}

function foundExports(exports: Namespace, main: unknown): string {
  const own = Object.keys(exports).filter(
    (name) => name !== 'default' && name !== 'module.exports',
  );
  const members = isObject(main) && typeof main !== 'function' ? Object.keys(main) : [];
  const names = new Set([...own, ...members]);
  names.delete('__esModule');
  const described = [...names].map((name) =>
    isClass(exports[name]) ? `a class "${name}"` : `"${name}"`,
  );
  if (isClass(main)) {
    described.unshift('a default export that is a class (export an instance: new …)');
  } else if (main !== undefined && members.length === 0 && !isUntouched(exports, main)) {
    described.unshift(`a default export of type ${main === null ? 'null' : typeof main}`);
  }
  return described.length === 0 ? 'no exports' : described.join(', ');
}

// `module.exports` of CommonJS code that exports nothing.
function isUntouched(exports: Namespace, main: unknown): boolean {
  if (!('module.exports' in exports) || !isObject(main)) return false;
  return Object.getPrototypeOf(main) === Object.prototype && Object.keys(main).length === 0;
}

function isObject(value: unknown): value is Namespace {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function operatorCalled(name: string, exports: Namespace, main: unknown): Operator | undefined {
  const members = isObject(main) ? [exports[name], main[name]] : [exports[name]];
  return [...(name === 'default' ? [main] : members)].find(isOperator);
}

/** An operator is data and functions, and known by them: it may come from an SDK of its own. */
function isOperator(value: unknown): value is Operator {
  return (
    isObject(value) &&
    isObject(value.for) &&
    typeof value.for.plural === 'string' &&
    typeof value.name === 'string' &&
    typeof value.reconcile === 'function'
  );
}

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function' && !isClass(value);
}

// The text of a class starts with the word, that of a method called so goes on with a parenthesis.
function isClass(value: unknown): boolean {
  if (typeof value !== 'function') return false;
  return /^class\s*[^\s(]/.test(Function.prototype.toString.call(value));
}
