import type { Compatibility } from './specialisation.ts';

/** What the caller gets to see of a failed call. */
export interface FailureAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * What a call is answered with whose handler threw or rejected. The stack never leaves the log.
 *
 * - A handler chooses status and text by throwing an Error with a whole `status` (or `statusCode`)
 *   of 400 … 599, unless its `expose` is false (the convention of the npm package http-errors).
 * - A thrown string is the text of a 500.
 * - Anything else is `500 Internal Server Error`.
 *
 * Handlers of Kyma and Kubeless choose no status so, for their errors often come from a client
 * library with the status that somebody else answered: everything is a 500, of Kyma with a thrown
 * string or `Internal server error`, of Kubeless with `Internal Server Error`.
 */
export function decideFailure(thrown: unknown, compatibility?: Compatibility): FailureAnswer {
  if (compatibility === 'kubeless') return internal;
  if (compatibility === 'kyma') {
    return { status: 500, text: typeof thrown === 'string' ? thrown : 'Internal server error' };
  }
  try {
    return chosenFailure(thrown);
  } catch {
    // A Proxy, or a getter that throws: even that is one failed call and no more.
    return internal;
  }
}

function chosenFailure(thrown: unknown): FailureAnswer {
  if (typeof thrown === 'string') return { status: 500, text: thrown };
  if (!(thrown instanceof Error) || ('expose' in thrown && thrown.expose === false))
    return internal;
  const status = statusOf(thrown);
  return status === undefined ? internal : { status, text: thrown.message };
}

const internal: FailureAnswer = { status: 500, text: 'Internal Server Error' };

function statusOf(error: Error): number | undefined {
  const status = 'status' in error ? error.status : 'statusCode' in error ? error.statusCode : 0;
  const isStatus = typeof status === 'number' && Number.isInteger(status);
  return isStatus && status >= 400 && status <= 599 ? status : undefined;
}
