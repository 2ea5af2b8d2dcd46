import { type Answer, done, type Requirement } from '../answer.ts';
import { type Kind, type KindFacts, viewOf } from '../kind.ts';
import type { ObjectShape } from '../object.ts';
import type { ObjectSet, Operator, ReconcileRequest } from '../operator.ts';
import { ContractError } from './contract.ts';
import type { FailureNote, MapAnswer, OperatorAnswer } from './operator-answer.ts';
import {
  type MapCall,
  parseOperatorCall,
  type ReconcileCall,
  type RequiredObjects,
  timeLeftMs,
} from './operator-call.ts';
import { isJson } from './reading.ts';
import { isSameKind, sentObjects } from './sent-objects.ts';

/** What whoever serves an operator brings along. */
export interface ServeOptions {
  /** Calls `act` after so many milliseconds, unless the function that it returns is called before. */
  readonly after: (ms: number, act: () => void) => () => void;
  /** Told what a function of the operator has thrown: its answer has only the message. */
  readonly onError?: (error: unknown) => void;
}

/** Answers the calls of a hub. `signal` aborts when nobody waits any more. */
export type OperatorServer = (
  call: unknown,
  signal: AbortSignal,
) => Promise<OperatorAnswer | MapAnswer>;

/**
 * Serves an operator to a hub, behind whatever carries its calls: the functions are called as in a
 * process of their own, and what they throw is an answer, too.
 *
 * @throws ContractError `InvalidCall`, `UnsupportedContract` (from the returned function)
 */
export function serveOperator(operator: Operator, options: ServeOptions): OperatorServer {
  return async (message, signal) => {
    const call = parseOperatorCall(message);
    if (call.what === 'map') return mapped(operator, call);
    const stop = new AbortController();
    const onGone = (): void => stop.abort(signal.reason);
    if (signal.aborted) onGone();
    signal.addEventListener('abort', onGone, { once: true });
    const cancel = options.after(timeLeftMs(call), () => stop.abort(late(call)));
    try {
      // A function that does not hear its signal must not hold up whoever asked.
      return await Promise.race([asked(operator, call, stop.signal), aborted(stop.signal)]);
    } catch (error) {
      // Whatever a function throws that was told to end: that it was is why.
      const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
      options.onError?.(reason);
      return { error: failureNote(reason) };
    } finally {
      cancel();
      signal.removeEventListener('abort', onGone);
    }
  };
}

async function asked(
  operator: Operator,
  call: ReconcileCall,
  signal: AbortSignal,
): Promise<OperatorAnswer> {
  let isRead = false;
  const onRead = (): void => {
    isRead = true;
  };
  const request = requestOf(operator, call, { signal, onRead });
  const ask: Operator['reconcile'] =
    call.what === 'reconcile' ? operator.reconcile : (operator.cleanup ?? done);
  // Functions in JavaScript may answer nothing at all.
  const answer: Answer | undefined | null = await ask(request);
  if (!isAnswer(answer)) throw noAnswer(call.what, answer);
  const { require, ...rest } = answer ?? {};
  if (require !== undefined) return { ...rest, require: require.map(requirementOf) };
  const isBlind = !isRead && (rest.children?.length ?? 0) > 0;
  return isBlind ? { ...rest, childrenRead: false } : rest;
}

// A text, or a list, has fields, too, and would be an answer that wants nothing.
function isAnswer(answer: unknown): boolean {
  return answer === undefined || answer === null || isJson(answer);
}

function noAnswer(what: ReconcileCall['what'], found: unknown): Error {
  const text = (JSON.stringify(found) ?? typeof found).slice(0, 80);
  return new TypeError(
    `Cannot ${what}: the function answered ${text}, expected an object or nothing`,
  );
}

function requestOf(
  operator: Operator,
  call: ReconcileCall,
  {
    signal,
    onRead,
  }: {
    readonly signal: AbortSignal;
    /** Told that the children were asked for: from then on the answer may depend on them. */
    readonly onRead: () => void;
  },
): ReconcileRequest<ObjectShape> {
  const { object, children, related, required = [], attempt, now, run } = call;
  const { owns = [], watches = [] } = operator;
  const home = object.metadata.namespace ?? '';
  return {
    object,
    children<C extends ObjectShape>(kind: Kind<C>): ObjectSet<C> {
      onRead();
      const isOwned = owns.some((owned) => isSameKind(kind, viewOf(owned).kind));
      if (!isOwned) throw undeclared(operator, kind, 'owns');
      return sentObjects(kind, children, home);
    },
    related<C extends ObjectShape>(kind: Kind<C>): ObjectSet<C> {
      const isWatched = watches.some(({ view }) => isSameKind(kind, view.kind));
      const isKnown = isWatched || required.some((one) => isSameKind(kind, one));
      if (!isKnown) throw undeclared(operator, kind, 'watches');
      return sentObjects(kind, related, home);
    },
    attempt,
    now,
    signal,
    idempotencyKey: run,
  };
}

function requirementOf({ kind, key, labels, namespace }: Requirement): RequiredObjects {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...key,
    ...(labels === undefined ? {} : { labels }),
  };
}

function mapped({ watches = [], name }: Operator, { watch: index, objects }: MapCall): MapAnswer {
  const watch = watches[index];
  const found = `found no watch ${index} of operator "${name}" with a function`;
  if (watch?.map === undefined) {
    const expected = `expected one of its ${watches.length}`;
    throw new ContractError('InvalidCall', `Cannot map objects: ${found}, ${expected}`);
  }
  return { keys: objects.map((object) => [watch.map?.(object) ?? []].flat()) };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function late(call: ReconcileCall): Error {
  const message = `Cannot ${call.what}: found no answer after ${timeLeftMs(call)} ms`;
  return Object.assign(new Error(message), { code: 'DeadlineExceeded' as const });
}

function undeclared(operator: Operator, kind: KindFacts, list: 'owns' | 'watches'): Error {
  const name = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const found = `operator "${operator.name}" does not declare it`;
  const message = `Cannot look at ${name}: ${found}. Name it in "${list}" of the operator`;
  return Object.assign(new Error(message), { code: 'UndeclaredKind' as const });
}

const ownCodes: ReadonlySet<unknown> = new Set(['Terminal', 'DeadlineExceeded', 'UndeclaredKind']);

function failureNote(thrown: unknown): FailureNote {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  const reason = typeof code === 'string' && ownCodes.has(code) ? code : 'ReconcileFailed';
  return { reason, message, ...(code === 'Terminal' ? { terminal: true } : {}) };
}
