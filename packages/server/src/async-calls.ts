/**
 * Calls that are answered later. What takes them is loaded with the first of them, or after the
 * start when some are kept from before: their store's directory tells.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@fnlet/base';
import type { Gateway, Responder, ResponderAnswer } from '@fnlet/gateway';
import type { ObjectKey } from '@fnlet/machinery';
import type { House } from './house.ts';
import { asyncBodyBytesMax } from './limits.ts';
import type { OpenAsyncCalls } from './open-async-calls.ts';

/** What the Gateway hands calls to that are to be answered later. */
export interface AsyncFront extends Responder {
  /** Says where calls go from now on, and takes up those that are kept. */
  begin(gateway: Pick<Gateway, 'invoke'>, address: string): void;
  /** How many calls wait for a Function; `undefined` while they are being taken up. */
  lagOf(key: ObjectKey): number | undefined;
}

const noCalls: ResponderAnswer = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: '{"status":404,"code":"NotFound","message":"There are no asynchronous calls"}\n',
};

/** Makes it; nothing is loaded yet. */
export function createAsyncFront(house: House): AsyncFront {
  const directory = join(house.data.root, 'async');
  const { logger } = house.options;
  let begun: { readonly gateway: Pick<Gateway, 'invoke'>; readonly address: string } | undefined;
  let loaded: Promise<OpenAsyncCalls> | undefined;
  let calls: OpenAsyncCalls | undefined;
  let stack: AsyncDisposableStack | undefined;
  const load = async (): Promise<OpenAsyncCalls> => {
    if (begun === undefined || stack === undefined || stack.disposed) {
      throw new Error('Fnlet starts or ends just now');
    }
    const { openAsyncCalls } = await import('./open-async-calls.ts');
    calls = await openAsyncCalls({ ...house, stack }, { directory, ...begun });
    return calls;
  };
  return {
    bodyBytesMax: asyncBodyBytesMax,
    async respond(request) {
      // Asking about a call makes none.
      if (request.call === undefined && loaded === undefined && !existsSync(directory)) {
        return noCalls;
      }
      loaded ??= load().catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
      return (await loaded).answer(request);
    },
    lagOf: (key) => calls?.lagOf(key) ?? (loaded === undefined ? 0 : undefined),
    begin(gateway, address) {
      begun = { gateway, address };
      // The house's own stack is closed to new parts once the start is over.
      stack = house.stack.use(new AsyncDisposableStack());
      if (!existsSync(directory)) return;
      loaded = load();
      loaded.catch((error: unknown) => {
        logger.error('Cannot take up asynchronous calls', { error: errorMessage(error) });
        house.failed.reject(error);
      });
    },
  };
}
