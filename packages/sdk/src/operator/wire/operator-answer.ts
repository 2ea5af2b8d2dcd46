import type { Answer, Child, ChildWish, EventNote, WantedChild } from '../answer.ts';
import type { WantedCondition } from '../condition.ts';
import type { KeyReference } from '../kind.ts';
import type { ContractError } from './contract.ts';
import { isRequirement, type RequiredObjects } from './operator-call.ts';
import { broken, isJson, isObject, isTextOrAbsent, type Json, readList } from './reading.ts';

/** Why a run has failed. */
export interface FailureNote {
  /** One word in CamelCase. Default: ReconcileFailed. */
  readonly reason?: string;
  readonly message: string;
  /** Whether only a change makes it worth another try. Default: false. */
  readonly terminal?: boolean;
}

/**
 * The answer to a reconcile or a cleanup. What is said by an {@link Answer} is said by it as well;
 * `require` names kinds as manifests do. With `error` the run has failed, and nothing else counts.
 */
export interface OperatorAnswer extends Omit<Answer, 'require'> {
  readonly require?: readonly RequiredObjects[];
  /**
   * Whether the answer may depend on the children that were sent. `false`: it would be the same
   * whatever they are, so what the hub writes of it is no reason to ask again. Default: true.
   */
  readonly childrenRead?: boolean;
  readonly error?: FailureNote;
}

/** The answer to a map: for every object that was sent, in order, whom it concerns. */
export interface MapAnswer {
  readonly keys: readonly (readonly KeyReference[])[];
}

/**
 * Reads the answer to a reconcile or a cleanup; nothing at all is an answer that wants nothing.
 * Fields that are not known here are ignored; durations are read by whoever goes by them.
 *
 * @throws ContractError `InvalidAnswer`
 */
export function parseOperatorAnswer(value: unknown): OperatorAnswer {
  if (value === undefined || value === null) return {};
  if (!isJson(value)) throw invalid('', value, 'an object');
  const { children, status, conditions, events, requeueAfter, require, ...rest } =
    withoutNulls(value);
  const { finalized, childrenRead, error } = rest;
  return {
    ...optional('children', children, (it) => readList(reading, ['children', it], readEntry)),
    ...optional('status', status, readStatus),
    ...optional('conditions', conditions, (it) =>
      readList(reading, ['conditions', it], readCondition),
    ),
    ...optional('events', events, (it) => readList(reading, ['events', it], readEvent)),
    ...optional('requeueAfter', requeueAfter, readDuration),
    ...optional('require', require, (it) => readList(reading, ['require', it], readRequirement)),
    ...optional('finalized', finalized, (it) => readFlag('finalized', it)),
    ...optional('childrenRead', childrenRead, (it) => readFlag('childrenRead', it)),
    ...optional('error', error, readError),
  };
}

/**
 * Reads the answer to a map of so many objects.
 *
 * @throws ContractError `InvalidAnswer`
 */
export function parseMapAnswer(value: unknown, count: number): MapAnswer {
  const keys = isJson(value) ? value.keys : undefined;
  if (!Array.isArray(keys) || keys.length !== count) {
    throw invalid('keys', keys, `a list of ${count} lists`);
  }
  return {
    keys: readList(reading, ['keys', keys], (item, path) =>
      readList(reading, [path, item], readKey),
    ),
  };
}

// Languages differ in whether an absent field is left out or null.
function withoutNulls(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

function optional<K extends string, T>(
  key: K,
  value: unknown,
  read: (value: unknown) => T,
): { readonly [P in K]?: T };
function optional(key: string, value: unknown, read: (value: unknown) => unknown): object {
  return value === undefined ? {} : { [key]: read(value) };
}

function readEntry(value: unknown, path: string): Child | readonly Child[] {
  return Array.isArray(value)
    ? readList(reading, [path, value], readChild)
    : readChild(value, path);
}

function readChild(value: unknown, path: string): WantedChild | ChildWish {
  const isWish = isJson(value) && value.object !== undefined && value.apiVersion === undefined;
  if (!isWish) return readManifest(value, path);
  const { object, after, asIs } = withoutNulls(value);
  return {
    object: readManifest(object, `${path}.object`),
    ...(after === undefined
      ? {}
      : { after: readList(reading, [`${path}.after`, after], readManifest) }),
    ...(asIs === true ? { asIs } : {}),
  };
}

function readManifest(value: unknown, path: string): WantedChild {
  if (!isObject(value)) throw invalid(path, value, 'an object with apiVersion, kind and a name');
  const { metadata, ...rest } = value;
  return { ...rest, metadata: { ...metadata, name: String(metadata.name) } };
}

function readStatus(value: unknown): Json {
  if (!isJson(value)) throw invalid('status', value, 'an object');
  return value;
}

function readCondition(value: unknown, path: string): WantedCondition {
  if (!isCondition(value)) {
    throw invalid(path, value, 'a type, a status (True, False or Unknown), reason and message');
  }
  return value;
}

function isCondition(value: unknown): value is WantedCondition {
  return (
    isJson(value) &&
    typeof value.type === 'string' &&
    (value.status === 'True' || value.status === 'False' || value.status === 'Unknown') &&
    isTextOrAbsent(value.reason) &&
    isTextOrAbsent(value.message)
  );
}

function readEvent(value: unknown, path: string): EventNote {
  if (!isEvent(value)) {
    throw invalid(path, value, 'a type (Normal or Warning), a reason and a message');
  }
  return value;
}

function isEvent(value: unknown): value is EventNote {
  return (
    isJson(value) &&
    (value.type === undefined || value.type === 'Normal' || value.type === 'Warning') &&
    typeof value.reason === 'string' &&
    typeof value.message === 'string'
  );
}

function readDuration(value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid('requeueAfter', value, 'a duration such as 30s or 1h30m');
}

function readFlag(path: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(path, value, 'true or false');
}

function readRequirement(value: unknown, path: string): RequiredObjects {
  const item = isJson(value) ? withoutNulls(value) : value;
  if (!isRequirement(item)) {
    throw invalid(path, value, 'an apiVersion and a kind, with a name or labels');
  }
  return item;
}

function readError(value: unknown): FailureNote {
  const { reason, message, terminal } = isJson(value) ? withoutNulls(value) : {};
  if (typeof message !== 'string' || !isTextOrAbsent(reason)) {
    throw invalid('error', value, 'a message, and a reason of one word');
  }
  return {
    ...(reason === undefined ? {} : { reason }),
    message,
    ...(terminal === true ? { terminal } : {}),
  };
}

function readKey(value: unknown, path: string): KeyReference {
  const { name, namespace } = isJson(value) ? withoutNulls(value) : {};
  if (typeof name !== 'string' || !isTextOrAbsent(namespace)) {
    throw invalid(path, value, 'a name, and a namespace if it is another one');
  }
  return namespace === undefined ? { name } : { name, namespace };
}

const reading = { code: 'InvalidAnswer', what: 'the answer' } as const;

function invalid(path: string, found: unknown, expected: string): ContractError {
  return broken(reading, [path, found], expected);
}
