import type { ObjectShape } from '../object.ts';
import { ContractError, contractVersion } from './contract.ts';
import { broken, isJson, isObject, isTextOrAbsent, type Json, readList } from './reading.ts';

/** More objects that a run needs: one by name, or with labels, or all of the kind. */
export interface RequiredObjects {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  /** Default: the namespace of the object that is reconciled. */
  readonly namespace?: string;
  /** A label selector, such as `app=web,tier in (a, b)`. */
  readonly labels?: string;
}

/** What a function is shown of the object: an answer is about this, and no newer state of it. */
export interface SentState {
  readonly uid: string;
  /** Absent for kinds that have none, such as ConfigMap. */
  readonly generation?: number;
  readonly resourceVersion?: string;
}

/** A hub asks what is wanted for one object, or what is left to do before it goes. */
export interface ReconcileCall {
  readonly contract: typeof contractVersion;
  /** The Operator object, `namespace/name`. */
  readonly operator: string;
  readonly what: 'reconcile' | 'cleanup';
  /** Names the run; the same for all its tries, so that it can be an idempotency key. */
  readonly run: string;
  /** Why it runs, for people and logs. */
  readonly reason: string;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
  /** The time of this run, RFC 3339. */
  readonly now: string;
  /** When nobody waits for the answer any more, RFC 3339, by the clock that says `now`. */
  readonly deadline: string;
  readonly object: ObjectShape;
  /** The children that are there, of all kinds that the operator owns. */
  readonly children: readonly ObjectShape[];
  /** Objects of the kinds that it watches, and those that earlier answers of this run required. */
  readonly related: readonly ObjectShape[];
  /** All that earlier answers of this run required, found or not. Default: nothing. */
  readonly required?: readonly RequiredObjects[];
  readonly sent: SentState;
}

/** A hub asks which objects are concerned by others that have changed. */
export interface MapCall {
  readonly contract: typeof contractVersion;
  readonly operator: string;
  readonly what: 'map';
  /** Which of the operator's `watches`, counted from 0. */
  readonly watch: number;
  /** The objects that have changed, in their old and new forms. */
  readonly objects: readonly ObjectShape[];
}

/** What a hub asks the function of an operator. */
export type OperatorCall = ReconcileCall | MapCall;

/**
 * Reads a call.
 *
 * @throws ContractError `InvalidCall`; `UnsupportedContract` for a version that is not known here
 */
export function parseOperatorCall(value: unknown): OperatorCall {
  if (!isJson(value)) throw invalid('', value, 'an object');
  const { contract, operator, what } = value;
  if (contract !== contractVersion) {
    const found = JSON.stringify(contract) ?? 'none';
    throw new ContractError(
      'UnsupportedContract',
      `Cannot read the call: found contract ${found}, expected ${contractVersion}`,
    );
  }
  const named = { contract: contractVersion, operator: text('operator', operator) } as const;
  switch (what) {
    case 'reconcile':
    case 'cleanup':
      return { ...named, what, ...readRun(value), ...readObjects(value) };
    case 'map':
      return { ...named, what, watch: readIndex(value.watch), objects: list(value, 'objects') };
    default:
      throw invalid('what', what, 'reconcile, cleanup or map');
  }
}

/** How long whoever asked still waits, in milliseconds: never negative. */
export function timeLeftMs({ now, deadline }: Pick<ReconcileCall, 'now' | 'deadline'>): number {
  return Math.max(0, Date.parse(deadline) - Date.parse(now));
}

type RunFields = Pick<ReconcileCall, 'run' | 'reason' | 'attempt' | 'now' | 'deadline'>;

function readRun({ run, reason = '', attempt = 1, now, deadline }: Json): RunFields {
  if (typeof attempt !== 'number') throw invalid('attempt', attempt, 'a number');
  return {
    run: text('run', run),
    reason: text('reason', reason),
    attempt,
    now: time('now', now),
    deadline: time('deadline', deadline),
  };
}

type ObjectFields = Pick<ReconcileCall, 'object' | 'children' | 'related' | 'required' | 'sent'>;

function readObjects(call: Json): ObjectFields {
  const { required, sent } = call;
  return {
    object: readObject(call.object, 'object'),
    children: list(call, 'children'),
    related: list(call, 'related'),
    ...(required === undefined ? {} : { required: readRequirements(required) }),
    sent: readSent(sent),
  };
}

function list(call: Json, path: string): ObjectShape[] {
  return readList(reading, [path, call[path] ?? []], readObject);
}

function readObject(value: unknown, path: string): ObjectShape {
  if (!isObject(value)) throw invalid(path, value, 'an object with apiVersion, kind and metadata');
  return asShape(value);
}

// What else is in the metadata was written by an API server, whose schema ensures it.
function asShape(value: Json & { readonly apiVersion: string }): ObjectShape;
function asShape(value: unknown): unknown {
  return value;
}

function readRequirements(value: unknown): RequiredObjects[] {
  return readList(reading, ['required', value], (item, path) => {
    if (!isRequirement(item)) throw invalid(path, item, 'an apiVersion and a kind');
    return item;
  });
}

/** Whether a value says which objects are required. */
export function isRequirement(value: unknown): value is RequiredObjects {
  return (
    isJson(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    [value.name, value.namespace, value.labels].every(isTextOrAbsent)
  );
}

function readSent(value: unknown): SentState {
  const isSent =
    isJson(value) &&
    typeof value.uid === 'string' &&
    (value.generation === undefined || typeof value.generation === 'number') &&
    isTextOrAbsent(value.resourceVersion);
  if (!isSent) throw invalid('sent', value, 'a uid, a generation and a resourceVersion');
  const { uid, generation, resourceVersion } = value;
  return {
    uid: String(uid),
    ...(typeof generation === 'number' ? { generation } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
}

function readIndex(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw invalid('watch', value, 'the place of a watch, counted from 0');
}

function text(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid(path, value, 'text');
}

function time(path: string, value: unknown): string {
  if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
  throw invalid(path, value, 'a time as RFC 3339 writes it');
}

const reading = { code: 'InvalidCall', what: 'the call' } as const;

function invalid(path: string, found: unknown, expected: string): ContractError {
  return broken(reading, [path, found], expected);
}
