import { isJsonObject } from '@fnlet/base';
import type { HeaderField } from '@fnlet/invocation';

/** A body as JSON holds it: text where it is text. */
export interface KeptBody {
  readonly text?: string;
  readonly base64?: string;
}

/** A call that was accepted. It never changes. */
export interface Call {
  readonly id: string;
  readonly namespace: string;
  /** The Function, with a tag as it was addressed. */
  readonly function: string;
  readonly method: string;
  /** Path and query for the function. */
  readonly target: string;
  readonly headers: readonly HeaderField[];
  readonly body: KeptBody;
  readonly remoteAddress: string;
  /** Milliseconds since the epoch. */
  readonly acceptedMs: number;
  /** How long after it was accepted it may be tried. */
  readonly lifetimeMs: number;
  readonly attemptsMax: number;
  readonly callbackUrl?: string | undefined;
  /** Under which it is found again by its idempotency key. */
  readonly keyName?: string | undefined;
}

/** What a function answered, as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  readonly body: KeptBody;
  readonly truncated: boolean;
}

/** Where calls of one Function wait for each other. */
export function laneOf({
  namespace,
  function: name,
}: Pick<Call, 'namespace' | 'function'>): string {
  return `${namespace}/${name}`;
}

/** Whether this is a call as it was stored. */
export function isCall(value: unknown): value is Call {
  if (!isJsonObject(value)) return false;
  const { id, namespace, function: name, method, target, remoteAddress } = value;
  const texts = [id, namespace, name, method, target, remoteAddress];
  const numbers = [value.acceptedMs, value.lifetimeMs, value.attemptsMax];
  return (
    texts.every((text) => typeof text === 'string') &&
    numbers.every((number) => typeof number === 'number') &&
    isHeaders(value.headers) &&
    isKeptBody(value.body) &&
    isTextOrAbsent(value.callbackUrl) &&
    isTextOrAbsent(value.keyName)
  );
}

/** Whether this is an answer as it was stored. */
export function isKeptAnswer(value: unknown): value is KeptAnswer {
  return (
    isJsonObject(value) &&
    typeof value.status === 'number' &&
    typeof value.truncated === 'boolean' &&
    isHeaders(value.headers) &&
    isKeptBody(value.body)
  );
}

function isHeaders(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((field) => Array.isArray(field) && field.length === 2 && field.every(isText))
  );
}

function isKeptBody(value: unknown): boolean {
  return isJsonObject(value) && isTextOrAbsent(value.text) && isTextOrAbsent(value.base64);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
