import { errorMessage, hasCode } from '@fnlet/base';
import {
  type FieldError,
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '@fnlet/machinery';
import { badRequest, plainFailure } from '../answer/status-texts.ts';
import { fieldError, invalidOption, parseFlag, parseInteger } from './request-options.ts';

/** Query parameters of a list or a watch, parsed and checked. */
export interface ListOptions {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
  readonly watch: boolean;
  /** `undefined`: the most recent state. 0: any state. */
  readonly resourceVersion: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  /** `undefined`: no limit. */
  readonly limit: number | undefined;
  readonly continueToken: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** @throws StatusError `Invalid` and `BadRequest`, as meta/internalversion validation does. */
export function parseListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const limit = parseInteger(query, 'limit');
  const seconds = parseInteger(query, 'timeoutSeconds');
  const sendInitialEvents = parseFlag(query, 'sendInitialEvents');
  const token = query.get('continue') ?? '';
  checkMatch(query, { watch, sendInitialEvents, hasToken: token !== '' });
  const match = query.get('resourceVersionMatch');
  return {
    labels: parseSelector(query, 'labelSelector', parseLabelSelector),
    fields: parseSelector(query, 'fieldSelector', parseFieldSelector),
    watch,
    resourceVersion: parseResourceVersion(query, watch),
    match: match === 'Exact' || match === 'NotOlderThan' ? match : undefined,
    limit: limit === undefined || limit <= 0 ? undefined : limit,
    continueToken: token === '' ? undefined : token,
    timeoutMs: seconds === undefined || seconds <= 0 ? undefined : seconds * 1000,
    bookmarks: parseFlag(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents,
  };
}

function parseSelector<T>(
  query: URLSearchParams,
  name: string,
  parse: (text: string) => T,
): T | undefined {
  const text = query.get(name);
  if (text === null || text.trim() === '') return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!hasCode(error, 'InvalidSelector')) throw error;
    throw badRequest(errorMessage(error));
  }
}

function parseResourceVersion(query: URLSearchParams, watch: boolean): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  const detail = `Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  // A watch is refused by its storage, which knows no reasons.
  if (watch) throw plainFailure(500, `resourceVersion: ${detail}`);
  throw badRequest(`invalid resource version: resourceVersion: ${detail}`);
}

function checkMatch(
  query: URLSearchParams,
  asked: { watch: boolean; sendInitialEvents: boolean | undefined; hasToken: boolean },
): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const errors = asked.watch ? watchErrors(match, asked) : listErrors(match, { version, ...asked });
  if (errors.length > 0) throw invalidOption('ListOptions', errors);
}

function forbid(field: string, text: string): FieldError {
  return fieldError('FieldValueForbidden', field, `Forbidden: ${text}`);
}

function watchErrors(
  match: string,
  asked: { readonly sendInitialEvents: boolean | undefined; readonly hasToken: boolean },
): FieldError[] {
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (asked.sendInitialEvents !== undefined) {
    if (match === 'NotOlderThan') return errors;
    const text = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    errors.push(forbid(field, text));
    if (match === '') return errors;
    const found = `Unsupported value: "${match}": supported values: "NotOlderThan"`;
    return [...errors, fieldError('FieldValueNotSupported', field, found)];
  }
  if (match !== '') {
    const text = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    errors.push(forbid(field, text));
  }
  if (asked.hasToken) {
    errors.push(forbid(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

function listErrors(
  match: string,
  asked: { version: string; sendInitialEvents: boolean | undefined; hasToken: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (asked.version === '') {
      const text = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
      errors.push(forbid('resourceVersionMatch', text));
    }
    if (asked.hasToken) {
      const text = 'resourceVersionMatch is forbidden when continue is provided';
      errors.push(forbid('resourceVersionMatch', text));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      const text = `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan", ""`;
      errors.push(fieldError('FieldValueNotSupported', 'resourceVersionMatch', text));
    }
    if (match === 'Exact' && asked.version === '0') {
      const text = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
      errors.push(forbid('resourceVersionMatch', text));
    }
  }
  if (asked.sendInitialEvents !== undefined) {
    errors.push(forbid('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}
