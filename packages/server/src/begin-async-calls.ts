import { errorMessage } from '@fnlet/base';
import type { House } from './house.ts';
import type { CallsWay } from './open-async-calls.ts';

/** Lets asynchronous calls be taken, and those that are kept go on. */
export function beginAsyncCalls(house: House, way: CallsWay): void {
  const { asyncCalls, failed, options } = house;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const begun = asyncCalls.begin(async () => {
    const { openAsyncCalls } = await import('./open-async-calls.ts');
    if (stack.disposed) throw new Error('Fnlet ends just now');
    return openAsyncCalls({ ...house, stack }, way);
  });
  begun.catch((error: unknown) => {
    options.logger.error('Cannot take up asynchronous calls', { error: errorMessage(error) });
    failed.reject(error);
  });
}
