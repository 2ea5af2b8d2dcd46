import { isJsonObject, jsonEqual } from '@fnlet/base';
import { goTypeName } from './go-type-name.ts';
import {
  jsonPatchCopyBytesMax,
  jsonPatchCopyValuesMax,
  jsonPatchOperationsMax,
  jsonPointerTokensMax,
} from './limits.ts';
import { MachineryError } from './machinery-error.ts';
import { defineValue } from './own-property.ts';
import { runToEnd, type Steps } from './steps.ts';

/** A place in a document: the reference tokens of a JSON pointer (RFC 6901), unescaped. */
type Pointer = readonly string[];

/** One operation of a JSON patch (RFC 6902), with its pointers parsed. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

/** A parsed JSON patch. */
export type JsonPatch = readonly JsonPatchOperation[];

/**
 * Reads a JSON patch document.
 *
 * @throws MachineryError `InvalidPatch` when it is no list of operations, `PatchNotApplicable` when
 *   one of them names no place, `PatchTooLarge` past 10 000 operations
 */
export function parseJsonPatch(document: unknown): JsonPatch {
  if (!Array.isArray(document)) {
    throw invalidPatch(
      `error decoding patch: json: cannot unmarshal ${goTypeName(document)} ` +
        'into Go value of type []handlers.jsonPatchOp',
    );
  }
  if (document.length > jsonPatchOperationsMax) {
    throw new MachineryError(
      'PatchTooLarge',
      `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, ` +
        `got ${document.length}`,
    );
  }
  return document.map(parseOperation);
}

function parseOperation(item: unknown): JsonPatchOperation {
  if (!isJsonObject(item)) {
    const text = `json: cannot unmarshal ${goTypeName(item)} into Go value of type`;
    throw invalidPatch(`error decoding patch: ${text} handlers.jsonPatchOp`);
  }
  const { op } = item;
  const path = parsePointer(item, 'path');
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      return { op, path, value: item.value ?? null };
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy':
      return { op, from: parsePointer(item, 'from'), path };
    default:
      throw invalidPatch(`invalid operation ${JSON.stringify(item)}: unsupported operation`);
  }
}

function parsePointer(item: Readonly<Record<string, unknown>>, field: 'path' | 'from'): Pointer {
  const text = item[field];
  if (typeof text !== 'string') throw invalidOperation(item, `missing ${field}`);
  if (text === '') return [];
  const slash = text.indexOf('/');
  if (slash < 0) throw invalidOperation(item, `"${text}" is not a JSON pointer`);
  // What stands before the first slash is not looked at.
  const tokens = text.slice(slash + 1).split('/', jsonPointerTokensMax + 1);
  if (tokens.length > jsonPointerTokensMax) {
    throw new MachineryError(
      'PatchTooLarge',
      `Cannot follow the ${field} of an operation: found more than ${jsonPointerTokensMax} parts, ` +
        'expected no more than objects nest',
    );
  }
  return tokens.map((token) =>
    token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token,
  );
}

/**
 * `target` changed by a JSON patch, all of it or nothing: neither argument is changed. Where Go's
 * evanphx/json-patch, which API servers apply them with, is not as RFC 6902 has it, it is as there:
 * `replace` of a field that is missing adds it, `copy` of one gives null, and so does `add` without
 * a value.
 *
 * A Kubernetes API server hides what went wrong here behind a 422 with the text "the server
 * rejected our request due to an error in our request"; the messages are for people.
 *
 * @throws MachineryError `PatchTestFailed`, `PatchNotApplicable` when a place does not exist,
 *   `PatchTooLarge` when its copies add more than 3 MiB
 */
export function applyJsonPatch(target: unknown, patch: JsonPatch): unknown {
  return runToEnd(applyJsonPatchInSteps(target, patch));
}

/** The same, a step for each operation. */
export function* applyJsonPatchInSteps(target: unknown, patch: JsonPatch): Steps<unknown> {
  // Operations change a private clone; the root lies in a holder, so that it can be replaced too.
  const document: Document = { root: structuredClone(target), copiedBytes: 0, copiedValues: 0 };
  for (const operation of patch) {
    yield;
    applyOperation(document, operation);
  }
  return document.root;
}

interface Document {
  root: unknown;
  copiedBytes: number;
  copiedValues: number;
}

function applyOperation(document: Document, operation: JsonPatchOperation): void {
  const { path } = operation;
  switch (operation.op) {
    case 'add':
      insert(document, path, structuredClone(operation.value));
      break;
    case 'remove':
      remove(document, path);
      break;
    case 'replace':
      replace(document, path, structuredClone(operation.value));
      break;
    case 'test':
      test(document, path, operation.value);
      break;
    case 'move':
      move(document, operation.from, path);
      break;
    case 'copy':
      copy(document, operation.from, path);
      break;
  }
}

function test(document: Document, path: Pointer, value: unknown): void {
  if (jsonEqual(readOrNull(document, path), value)) return;
  const text = `testing value ${formatPointer(path)} failed: test failed`;
  throw new MachineryError('PatchTestFailed', text);
}

function move(document: Document, from: Pointer, path: Pointer): void {
  const value = read(document, from);
  if (path.length > from.length && from.every((token, i) => token === path[i])) {
    throw notApplicable(`Cannot move "${formatPointer(from)}" into itself`);
  }
  remove(document, from);
  insert(document, path, value);
}

function copy(document: Document, from: Pointer, path: Pointer): void {
  const value = readOrNull(document, from);
  document.copiedBytes += JSON.stringify(value).length;
  if (document.copiedBytes > jsonPatchCopyBytesMax) {
    throw new MachineryError(
      'PatchTooLarge',
      `Cannot copy "${formatPointer(from)}": the copies of this patch add more than ` +
        `${jsonPatchCopyBytesMax} bytes`,
    );
  }
  document.copiedValues += countValues(value);
  if (document.copiedValues > jsonPatchCopyValuesMax) {
    throw new MachineryError(
      'PatchTooLarge',
      `Cannot copy "${formatPointer(from)}": the copies of this patch add more than ` +
        `${jsonPatchCopyValuesMax} values`,
    );
  }
  insert(document, path, structuredClone(value));
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((count, item) => count + countValues(item), 1);
}

function insert(document: Document, path: Pointer, value: unknown): void {
  const key = path.at(-1);
  if (key === undefined) {
    document.root = value;
    return;
  }
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    parent.splice(key === '-' ? parent.length : arrayIndex(key, parent.length, path), 0, value);
  } else if (isMutableObject(parent)) {
    defineValue(parent, key, value);
  } else {
    throw missing(path);
  }
}

function remove(document: Document, path: Pointer): void {
  const key = path.at(-1);
  if (key === undefined) throw notApplicable('Cannot remove the whole document');
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(arrayIndex(key, parent.length - 1, path), 1);
  else if (isMutableObject(parent) && Object.hasOwn(parent, key)) delete parent[key];
  else throw missing(path);
}

function replace(document: Document, path: Pointer, value: unknown): void {
  const key = path.at(-1);
  if (key === undefined) {
    document.root = value;
    return;
  }
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent)) parent[arrayIndex(key, parent.length - 1, path)] = value;
  else if (isMutableObject(parent)) defineValue(parent, key, value);
  else throw missing(path);
}

/** A field that is missing reads as null, where what it would be a field of is there. */
function readOrNull(document: Document, path: Pointer): unknown {
  const key = path.at(-1);
  if (key === undefined) return document.root;
  const parent = read(document, path.slice(0, -1));
  if (isJsonObject(parent) && !Object.hasOwn(parent, key)) return null;
  return read(document, path);
}

function read(document: Document, path: Pointer): unknown {
  let value = document.root;
  for (const key of path) {
    if (Array.isArray(value)) value = value[arrayIndex(key, value.length - 1, path)];
    else if (isJsonObject(value) && Object.hasOwn(value, key)) value = value[key];
    else throw missing(path);
  }
  return value;
}

function isMutableObject(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value);
}

/** RFC 6901: decimal digits without leading zeros. */
function arrayIndex(token: string, max: number, path: Pointer): number {
  const index = /^(0|[1-9]\d{0,15})$/.test(token) ? Number(token) : undefined;
  if (index === undefined || index > max) {
    throw notApplicable(
      `Cannot follow "${formatPointer(path)}": "${token}" is not an index of the list, ` +
        `expected 0 … ${max}`,
    );
  }
  return index;
}

function formatPointer(path: Pointer): string {
  return path.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function missing(path: Pointer): MachineryError {
  return notApplicable(`Cannot follow "${formatPointer(path)}": the object has no such field`);
}

function notApplicable(message: string): MachineryError {
  return new MachineryError('PatchNotApplicable', message);
}

function invalidOperation(item: unknown, problem: string): MachineryError {
  return notApplicable(`invalid operation ${JSON.stringify(item)}: ${problem}`);
}

function invalidPatch(message: string): MachineryError {
  return new MachineryError('InvalidPatch', message, {
    remedy: 'Send a list like [{"op":"replace","path":"/spec/replicas","value":2}]',
  });
}
