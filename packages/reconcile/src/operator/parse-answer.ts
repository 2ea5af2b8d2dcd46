import { isJsonObject, type JsonObject, tryParseDuration } from '@fnlet/base';
import type { ConditionUpdate, KubeObject } from '@fnlet/machinery';
import type { Requirement } from '@fnlet/sdk/operator';
import type { DesiredChild, DesiredChildren } from '../apply/desired-child.ts';
import type { Happening } from '../kube-event.ts';
import { ReconcileError } from '../reconcile-error.ts';

/** An answer that was read: what it leaves out is filled in, what is no answer was refused. */
export interface ParsedAnswer {
  readonly children: DesiredChildren | undefined;
  /** All fields of the status; `undefined`: those of before stay. */
  readonly status: JsonObject | undefined;
  /** `undefined`: those of before stay. */
  readonly conditions: readonly ConditionUpdate[] | undefined;
  readonly events: readonly Happening[];
  readonly requeueAfterMs: number | undefined;
  readonly require: readonly Requirement[];
  readonly finalized: boolean;
}

/**
 * Reads what a user's function has answered: it may be JavaScript, or come over a wire.
 *
 * @throws ReconcileError `InvalidAnswer`: which field is wrong, and how.
 */
export function parseAnswer(answer: unknown): ParsedAnswer {
  if (answer !== undefined && answer !== null && !isJsonObject(answer)) {
    throw invalid('', answer, 'an object, or nothing');
  }
  const { children, status, conditions, events, requeueAfter, require, finalized } = answer ?? {};
  return {
    children: children === undefined ? undefined : listOf(children, 'children', readEntry),
    status: status === undefined ? undefined : readStatus(status),
    conditions:
      conditions === undefined ? undefined : listOf(conditions, 'conditions', readCondition),
    events: listOf(events ?? [], 'events', readEvent),
    requeueAfterMs: requeueAfter === undefined ? undefined : readDuration(requeueAfter),
    require: listOf(require ?? [], 'require', readRequirement),
    finalized: finalized === true,
  };
}

function readEntry(entry: unknown, path: string): DesiredChild | readonly DesiredChild[] {
  return Array.isArray(entry) ? listOf(entry, path, readChild) : readChild(entry, path);
}

function readChild(value: unknown, path: string): DesiredChild {
  if (!isJsonObject(value)) throw invalid(path, value, 'a child, such as Kind.of gives');
  if (value.object === undefined || typeof value.apiVersion === 'string') {
    return readManifest(value, path);
  }
  const { object, after, asIs } = value;
  return {
    object: readManifest(object, `${path}.object`),
    after: listOf(after ?? [], `${path}.after`, readManifest),
    asIs: asIs === true,
  };
}

function readManifest(value: unknown, path: string): KubeObject {
  if (!isManifest(value)) {
    throw invalid(path, value, 'an object with apiVersion, kind and metadata');
  }
  return value;
}

function isManifest(value: unknown): value is KubeObject {
  return (
    isJsonObject(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isJsonObject(value.metadata)
  );
}

function readStatus(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw invalid('status', value, 'an object');
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields);
}

function readCondition(value: unknown, path: string): ConditionUpdate {
  if (!isCondition(value)) {
    throw invalid(path, value, 'a type, a status (True, False or Unknown), reason and message');
  }
  const { type, status, reason, message } = value;
  return {
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function isCondition(value: unknown): value is ConditionUpdate {
  return (
    isJsonObject(value) &&
    typeof value.type === 'string' &&
    (value.status === 'True' || value.status === 'False' || value.status === 'Unknown') &&
    isTextOrNothing(value.reason) &&
    isTextOrNothing(value.message)
  );
}

function readEvent(value: unknown, path: string): Happening {
  if (!isJsonObject(value)) throw invalid(path, value, 'an object');
  const { type = 'Normal', reason, message } = value;
  const isKnown = type === 'Normal' || type === 'Warning';
  if (isKnown && typeof reason === 'string' && typeof message === 'string') {
    return { type, reason, message };
  }
  throw invalid(path, value, 'a type (Normal or Warning), a reason and a message');
}

function readDuration(value: unknown): number {
  const durationMs = typeof value === 'string' ? tryParseDuration(value) : undefined;
  if (durationMs === undefined) {
    throw invalid('requeueAfter', value, 'a duration such as 30s or 1h30m');
  }
  return durationMs;
}

function readRequirement(value: unknown, path: string): Requirement {
  if (!isRequirement(value)) throw invalid(path, value, 'a kind, with a key or labels');
  return value;
}

function isRequirement(value: unknown): value is Requirement {
  if (!isJsonObject(value)) return false;
  const { kind, key, labels, namespace } = value;
  return (
    isJsonObject(kind) &&
    typeof kind.plural === 'string' &&
    typeof kind.group === 'string' &&
    typeof kind.version === 'string' &&
    (key === undefined || (isJsonObject(key) && typeof key.name === 'string')) &&
    isTextOrNothing(labels) &&
    isTextOrNothing(namespace)
  );
}

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function listOf<T>(value: unknown, path: string, read: (item: unknown, path: string) => T): T[] {
  if (!Array.isArray(value)) throw invalid(path, value, 'a list');
  return value.map((item: unknown, index) => read(item, `${path}[${index}]`));
}

function invalid(path: string, found: unknown, expected: string): ReconcileError {
  const where = path === '' ? 'the answer' : `"${path}" of the answer`;
  const text = JSON.stringify(found) ?? typeof found;
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new ReconcileError(
    'InvalidAnswer',
    `Cannot read ${where}: found ${short}, expected ${expected}`,
  );
}
