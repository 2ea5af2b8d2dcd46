import { sha256, tryParseDuration } from '@fnlet/base';
import type { HeaderField } from '@fnlet/invocation';
import { AsyncCallError } from './async-call-error.ts';
import { keyNameOf } from './call-log.ts';
import type { AsyncLimits } from './limits.ts';

/** A request for a Function whose answer may come later. */
export interface CallRequest {
  readonly namespace: string;
  /** The Function, with a tag as it was addressed. */
  readonly function: string;
  readonly method: string;
  /** Path and query for the function. */
  readonly target: string;
  readonly headers: readonly HeaderField[];
  readonly body: Uint8Array;
  readonly remoteAddress: string;
}

/** How a caller wants its call to be treated. */
export interface Treatment {
  readonly attemptsMax: number;
  readonly lifetimeMs: number;
  readonly callbackUrl: string | undefined;
  readonly keyName: string | undefined;
}

/**
 * Reads it from the headers: `X-Call-Attempts`, `X-Call-Deadline`, `X-Callback-Url` and
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header; quoted or not).
 *
 * @throws AsyncCallError `InvalidRequest`
 */
export function readTreatment(request: CallRequest, limits: AsyncLimits): Treatment {
  const value = (name: string): string | undefined => single(request.headers, name, limits);
  const key = value('idempotency-key');
  return {
    attemptsMax: readAttempts(value('x-call-attempts'), limits),
    lifetimeMs: readLifetime(value('x-call-deadline'), limits),
    callbackUrl: readUrl(value('x-callback-url')),
    keyName: key === undefined ? undefined : keyName(request, key),
  };
}

function keyName(request: CallRequest, key: string): string {
  // Only the Gateway writes these.
  const said = ['x-fnlet-auth', 'x-fnlet-consumer'].map(
    (wanted) => request.headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '',
  );
  return keyNameOf(request, key.replace(/^"(.*)"$/, '$1'), said[1] === '' ? '' : said.join(' '));
}

/** Two requests with the same fingerprint ask for the same. */
export function fingerprintOf({ method, target, headers, body }: CallRequest): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return sha256(`${method} ${target}\n${type}\n${sha256(body)}`);
}

function single(
  headers: readonly HeaderField[],
  wanted: string,
  { headerCharactersMax }: AsyncLimits,
): string | undefined {
  const values = headers.filter(([name]) => name.toLowerCase() === wanted);
  const value = values[0]?.[1];
  if (values.length > 1) throw invalid(wanted, `${values.length} values`, 'one');
  if (value === undefined || (value !== '' && value.length <= headerCharactersMax)) return value;
  throw invalid(wanted, `${value.length} characters`, `1 to ${headerCharactersMax}`);
}

function readAttempts(value: string | undefined, limits: AsyncLimits): number {
  if (value === undefined) return limits.attempts;
  const attempts = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (attempts >= 1 && attempts <= limits.attemptsMax) return attempts;
  throw invalid('x-call-attempts', `"${value}"`, `a number from 1 to ${limits.attemptsMax}`);
}

function readLifetime(value: string | undefined, limits: AsyncLimits): number {
  if (value === undefined) return limits.lifetimeMs;
  const lifetimeMs = tryParseDuration(value) ?? 0;
  if (lifetimeMs >= 1 && lifetimeMs <= limits.lifetimeMaxMs) return Math.ceil(lifetimeMs);
  const longest = `${limits.lifetimeMaxMs / 3_600_000}h`;
  throw invalid('x-call-deadline', `"${value}"`, `a duration such as 30s or 10m, up to ${longest}`);
}

function readUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isHttp && url.username === '' && url.password === '') return url.href;
  throw invalid('x-callback-url', `"${value}"`, 'an http or https URL without a password in it');
}

function invalid(header: string, found: string, expected: string): AsyncCallError {
  return new AsyncCallError(
    'InvalidRequest',
    `Cannot accept the call: found ${found} in header ${header}, expected ${expected}`,
  );
}
