import { FnletError, type FnletErrorOptions } from '@fnlet/base';

/**
 * - `Unreachable`: no connection; the request was surely not carried out.
 * - `Aborted`: the caller's signal.
 * - `Interrupted`: the connection or the answer broke; the request may have been carried out.
 */
export type TransportErrorCode = 'Unreachable' | 'Aborted' | 'Interrupted';

/** A request that got no answer, or an answer that cannot be read to its end. */
export class TransportError extends FnletError<TransportErrorCode> {
  override readonly name = 'TransportError';

  constructor(code: TransportErrorCode, message: string, options: FnletErrorOptions = {}) {
    super(code, message, { retry: code === 'Aborted' ? 'never' : 'later', ...options });
  }
}
