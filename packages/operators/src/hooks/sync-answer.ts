import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { ReconcileCall } from '@fnlet/sdk/operator-wire';
import { HubError } from '../hub-error.ts';
import type { HookStyle } from './sync-request.ts';

/**
 * What a `sync` or a `finalize` hook has answered, as an answer of Fnlet's own contract, still to be
 * read as one. Its status is the whole status: conditions in it are said as conditions. What a hook
 * copies of a child that is there is left out where it is the API's to say.
 *
 * @throws HubError `InvalidAnswer`
 */
export function answerOfHook(
  value: unknown,
  { style, what }: { readonly style: HookStyle; readonly what: ReconcileCall['what'] },
): JsonObject {
  if (!isJsonObject(value)) throw invalid('the answer of the hook', value, 'an object');
  refuseMarks(value, style);
  const children = style === 'Composite' ? value.children : value.attachments;
  const { status, resyncAfterSeconds, finalized } = value;
  return {
    // A list that is left out is an empty one there, and so is null: Go knows no difference.
    children: listOf(children ?? [], style).map(wantedChild),
    ...(isJsonObject(status) ? statusOf(status) : {}),
    ...requeueOf(resyncAfterSeconds),
    ...(what === 'cleanup' ? { finalized: finalized === true } : {}),
  };
}

// A DecoratorController also writes on the object itself, which is not the operator's to write.
function refuseMarks(answer: JsonObject, style: HookStyle): void {
  if (style === 'Composite') return;
  for (const field of ['labels', 'annotations']) {
    const marks = answer[field];
    if (!isJsonObject(marks) || Object.keys(marks).length === 0) continue;
    const found = `found ${JSON.stringify(marks)}`;
    const message = `Cannot write ${field} of the object: ${found}, expected none of a hook`;
    throw new HubError('InvalidAnswer', message, {
      retry: 'later',
      remedy: 'Say it in the status, or in an attachment',
    });
  }
}

function listOf(value: unknown, style: HookStyle): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const field = style === 'Composite' ? 'children' : 'attachments';
  throw invalid(`"${field}" of the answer of the hook`, value, 'a list');
}

function wantedChild(child: unknown): unknown {
  if (!isJsonObject(child) || !isJsonObject(child.metadata)) return child;
  const { status: _, ...rest } = child;
  const { name, namespace, labels, annotations } = child.metadata;
  return { ...rest, metadata: withoutNothing({ name, namespace, labels, annotations }) };
}

function statusOf(status: JsonObject): JsonObject {
  const { conditions, observedGeneration: _, ...fields } = status;
  if (!Array.isArray(conditions)) return { status: fields };
  return { status: fields, conditions: conditions.map(conditionOf) };
}

// Times and generations are kept by whoever writes them.
function conditionOf(condition: unknown): unknown {
  if (!isJsonObject(condition)) return condition;
  const { type, status, reason, message } = condition;
  return withoutNothing({ type, status, reason, message });
}

function requeueOf(seconds: unknown): JsonObject {
  if (seconds === undefined || seconds === null) return {};
  if (typeof seconds !== 'number') {
    throw invalid('"resyncAfterSeconds" of the answer of the hook', seconds, 'a number');
  }
  // Zero is none: the field is left out of what Go writes then, too.
  return seconds > 0 ? { requeueAfter: `${Math.ceil(seconds * 1000)}ms` } : {};
}

function withoutNothing(fields: JsonObject): JsonObject {
  const there = ([, value]: readonly [string, unknown]): boolean =>
    value !== undefined && value !== null;
  return Object.fromEntries(Object.entries(fields).filter(there));
}

function invalid(what: string, found: unknown, expected: string): HubError {
  const text = (JSON.stringify(found) ?? typeof found).slice(0, 80);
  return new HubError('InvalidAnswer', `Cannot read ${what}: found ${text}, expected ${expected}`, {
    retry: 'later',
  });
}
