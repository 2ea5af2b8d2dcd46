import { FnletError, type FnletErrorOptions } from '@fnlet/base';

/**
 * - `InvalidRequest`: a header that says how to treat the call says nothing sensible.
 * - `CallbackRefused`: nothing may be sent to the callback URL.
 * - `KeyReused`: the idempotency key stands for another request.
 * - `FunctionQueueFull`: too many calls of this Function wait.
 * - `QueueFull`, `StoreFull`: too many calls wait, or take too much room.
 * - `NotFound`: there is no such call, or no longer.
 * - `NotFinished`: the call has no answer yet.
 * - `Finished`, `Running`: it is too late, or the wrong moment, for that.
 * - `Closing`: Fnlet ends.
 */
export type AsyncCallErrorCode =
  | 'InvalidRequest'
  | 'CallbackRefused'
  | 'KeyReused'
  | 'FunctionQueueFull'
  | 'QueueFull'
  | 'StoreFull'
  | 'NotFound'
  | 'NotFinished'
  | 'Finished'
  | 'Running'
  | 'Closing';

/** What asking something of asynchronous calls is refused with. */
export class AsyncCallError extends FnletError<AsyncCallErrorCode> {
  override readonly name = 'AsyncCallError';

  constructor(code: AsyncCallErrorCode, message: string, options: FnletErrorOptions = {}) {
    super(code, message, options);
  }
}
