import { errorMessage, isJsonObject, jsonEqual } from '@fnlet/base';
import type { CacheEvent } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { type CelProgram, compileCel } from '@fnlet/schema';
import type { Predicate } from '@fnlet/sdk/operator';
import { predicateCostMax, predicateDepthMax } from './limits.ts';
import { pausedAnnotation } from './pause.ts';
import { ReconcileError } from './reconcile-error.ts';

/** Whether an event is worth a run. A filter saves work, never memory: selectors do that. */
export type EventFilter<T extends KubeObject> = (event: CacheEvent<T>) => boolean;

export interface CompilePredicateOptions {
  /**
   * Told when an expression gives no answer for an event, which then passes as far as this
   * expression is concerned. The same trouble is told once, until another one comes between.
   */
  readonly onError: (message: string) => void;
  /** The finalizer whose coming and going always passes. Default: any. */
  readonly finalizer?: string | undefined;
}

/**
 * The function that a predicate stands for. Its expressions are compiled here, once.
 *
 * @param predicate a Predicate of the sdk room, as data that may come from outside
 * @throws ReconcileError `InvalidPredicate`
 */
export function compilePredicate(
  predicate: unknown,
  options: CompilePredicateOptions,
): EventFilter<KubeObject> {
  const judge = compileNode(predicate, options, predicateDepthMax);
  return (event) => {
    if (judge(event) !== false) return true;
    return event.kind === 'updated' && (isAlwaysNews(event, options) || hasLeft(event, judge));
  };
}

/**
 * Kleene's logic: `undefined` stands for "cannot be judged", and what cannot be judged passes. So
 * `not(generationChanged)` does not hold back what is created, and no failing expression, wherever
 * it stands, decides anything.
 */
type Verdict = boolean | undefined;

type Update = Extract<CacheEvent<KubeObject>, { readonly kind: 'updated' }>;
type Judge = (event: CacheEvent<KubeObject>) => Verdict;

// What JOSDK and kro let through as well: without it a deletion or the end of a pause is missed.
function isAlwaysNews({ old, object }: Update, { finalizer }: CompilePredicateOptions): boolean {
  const [before, after] = [old.metadata, object.metadata];
  if (before.uid !== after.uid) return true;
  if (before.deletionTimestamp === undefined && after.deletionTimestamp !== undefined) return true;
  if (before.annotations?.[pausedAnnotation] !== after.annotations?.[pausedAnnotation]) return true;
  const watched = (names: readonly string[] = []): readonly string[] =>
    names.filter((name) => finalizer === undefined || name === finalizer);
  return !jsonEqual(watched(before.finalizers), watched(after.finalizers));
}

/** An object that is selected no more is told about once: somebody may have to clean up. */
function hasLeft({ old, object }: Update, judge: Judge): boolean {
  return (
    judge({ kind: 'added', object: old }) !== false && judge({ kind: 'added', object }) === false
  );
}

function compileNode(node: unknown, options: CompilePredicateOptions, depth: number): Judge {
  if (depth === 0) throw invalid('more levels', `at most ${predicateDepthMax} of and, or, not`);
  const compile = (operand: unknown): Judge => compileNode(operand, options, depth - 1);
  const { type, of, expression } = isJsonObject(node) ? node : {};
  if (isWord(type)) return updatesOnly(words[type]);
  if (type === 'cel' && typeof expression === 'string') {
    return compileExpression(expression, options);
  }
  if (type === 'not') return negate(compile(of));
  if (type === 'and' && Array.isArray(of)) return allOf(of.map(compile));
  if (type === 'or' && Array.isArray(of)) return negate(allOf(of.map(compile).map(negate)));
  throw invalid(
    JSON.stringify(node) ?? 'nothing',
    `a type among ${expectedTypes}, with its operands`,
  );
}

function invalid(found: string, expected: string): ReconcileError {
  return new ReconcileError(
    'InvalidPredicate',
    `Cannot read predicate: found ${found}, expected ${expected}`,
  );
}

type Word = Exclude<Predicate['type'], 'cel' | 'and' | 'or' | 'not'>;

const words: Readonly<Record<Word, (update: Update) => Verdict>> = {
  generation: ({ old, object }) => {
    const [before, after] = [old.metadata.generation, object.metadata.generation];
    return before === undefined || after === undefined ? undefined : before !== after;
  },
  labels: ({ old, object }) => !jsonEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {}),
  annotations: ({ old, object }) =>
    !jsonEqual(old.metadata.annotations ?? {}, object.metadata.annotations ?? {}),
  resourceVersion: ({ old, object }) =>
    old.metadata.resourceVersion !== object.metadata.resourceVersion,
};

const expectedTypes = [...Object.keys(words), 'cel', 'and', 'or', 'not'].join(', ');

function isWord(type: unknown): type is Word {
  return typeof type === 'string' && Object.hasOwn(words, type);
}

function updatesOnly(judge: (update: Update) => Verdict): Judge {
  return (event) => (event.kind === 'updated' ? judge(event) : undefined);
}

function negate(judge: Judge): Judge {
  return (event) => {
    const verdict = judge(event);
    return verdict === undefined ? undefined : !verdict;
  };
}

function allOf(judges: readonly Judge[]): Judge {
  return (event) => {
    let verdict: Verdict = true;
    for (const judge of judges) {
      const next = judge(event);
      if (next === false) return false;
      if (next === undefined) verdict = undefined;
    }
    return verdict;
  };
}

function compileExpression(expression: string, { onError }: CompilePredicateOptions): Judge {
  const program = compileTest(expression);
  let reported: string | undefined;
  const evaluate = (event: CacheEvent<KubeObject>): Verdict => {
    const { object } = event;
    const values = event.kind === 'updated' ? { object, oldObject: event.old } : { object };
    try {
      const found = program.evaluate(values, { costMax: predicateCostMax });
      if (typeof found === 'boolean') return found;
      throw new ReconcileError('InvalidPredicate', `found ${typeof found}, expected a bool`);
    } catch (error) {
      const message = `Cannot evaluate predicate "${expression}": ${errorMessage(error)}`;
      if (message !== reported) onError(message);
      reported = message;
      return undefined;
    }
  };
  return program.variables.has('oldObject') ? updatesOnly(evaluate) : evaluate;
}

function compileTest(expression: string): CelProgram {
  try {
    const program = compileCel(expression, { object: 'dyn', oldObject: 'dyn' });
    if (program.type === 'bool' || program.type === 'dyn') return program;
    throw invalid(`an expression of type ${program.type}, "${expression}"`, 'a bool');
  } catch (error) {
    if (error instanceof ReconcileError) throw error;
    const message = `Cannot read predicate "${expression}": ${errorMessage(error)}`;
    throw new ReconcileError('InvalidPredicate', message, { cause: error });
  }
}
