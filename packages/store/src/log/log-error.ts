import { FnletError } from '@fnlet/base';

/**
 * - `Conflict`: the stream does not end where an append expected it to.
 * - `Closed`: the log is closed.
 * - `Gone`: the stream was removed.
 * - `Locked`: another process owns the directory.
 * - `Full`: the disk is full, or too many appends wait.
 * - `TooLarge`: a payload, a key or an append exceeds its bound.
 * - `Broken`: what is kept cannot be read, or the disk failed.
 * - `NotDurable`: the server may lose what it acknowledges, which was not allowed.
 * - `Unavailable`: the server of the log does not answer; whether an append happened is not known.
 */
export type LogErrorCode =
  | 'Conflict'
  | 'Closed'
  | 'Gone'
  | 'Locked'
  | 'Full'
  | 'TooLarge'
  | 'Broken'
  | 'NotDurable'
  | 'Unavailable';

/** Why a log cannot do what it was asked. */
export class LogError extends FnletError<LogErrorCode> {
  override readonly name = 'LogError';
}
