import { isJsonObject, type JsonObject, parseRetryAfter } from '@fnlet/base';
import { type Status, StatusError, type StatusReason, statusCodes } from '@fnlet/machinery';
import { limits } from './limits.ts';
import type { TransportResponse } from './transport.ts';

/** Reads a failed answer to its end and returns what to throw. */
export async function readFailure(
  response: TransportResponse,
  nowMs: number,
): Promise<StatusError> {
  const text = await readText(response);
  const status = parseStatus(tryParseJson(text), response.status);
  const seconds = retryAfterSeconds(response, nowMs);
  if (seconds === undefined || status.details?.retryAfterSeconds !== undefined) {
    return new StatusError(status);
  }
  const details = { ...status.details, retryAfterSeconds: seconds };
  return new StatusError({ ...status, details });
}

/** The Status in a failed answer; what is not a Status becomes one, with its text quoted. */
export function parseStatus(value: unknown, httpStatus: number): Status {
  if (isStatusLike(value)) {
    const { reason, ...status } = value;
    return { ...status, reason: isReason(reason) ? reason : reasonOf(value.code) };
  }
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  const found = text === '' ? 'no text' : text.slice(0, limits.failureQuoteMax);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: reasonOf(httpStatus),
    message: `The server answered with HTTP status ${httpStatus}: ${found}`,
    code: httpStatus,
  };
}

function isStatusLike(value: unknown): value is Omit<Status, 'reason'> & { reason?: unknown } {
  return (
    isJsonObject(value) &&
    value.kind === 'Status' &&
    typeof value.code === 'number' &&
    (value.message === undefined || typeof value.message === 'string') &&
    (value.details === undefined || isJsonObject(value.details))
  );
}

function isReason(reason: unknown): reason is StatusReason {
  return typeof reason === 'string' && Object.hasOwn(statusCodes, reason);
}

function reasonOf(httpStatus: number): StatusReason {
  // 409 and 410 have two reasons each; without a Status the one that asks to look again is meant.
  if (httpStatus === 409) return 'Conflict';
  if (httpStatus === 410) return 'Expired';
  const found = Object.entries(statusCodes).find(([, code]) => code === httpStatus)?.[0];
  return isReason(found) ? found : 'InternalError';
}

async function readText(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.bytes()) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > limits.failureBytesMax) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tryParseJson(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}

/** A date is compared with the server's own clock, if it tells. */
function retryAfterSeconds({ headers }: TransportResponse, nowMs: number): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  const serverMs = Date.parse(headers.date ?? '');
  const afterMs = parseRetryAfter(header, Number.isNaN(serverMs) ? nowMs : serverMs);
  return afterMs === undefined ? undefined : Math.ceil(afterMs / 1000);
}
