/**
 * Calls that are answered later. What takes them is loaded with the first of them, or after the
 * start when some are kept from before: their store's directory tells.
 */
import { existsSync } from 'node:fs';
import type { ApiExtension } from '@fnlet/apiserver/extension';
import type { AsyncCalls } from '@fnlet/eventing/async';
import type { Responder, ResponderAnswer } from '@fnlet/gateway';
import type { ObjectKey } from '@fnlet/machinery';
import { asyncBodyBytesMax } from './limits.ts';

/** What the Gateway hands calls to that are to be answered later. */
export interface LateAsyncCalls extends Responder {
  /** Shows them to those who may see all of a namespace. */
  readonly api: ApiExtension;
  /** How many calls wait for a Function; `undefined` while they are being taken up. */
  lagOf(key: ObjectKey): number | undefined;
  /** From now on calls are taken; resolves when those that are kept are taken up. */
  begin(open: () => Promise<AsyncCalls>): Promise<void>;
}

const noCalls: ResponderAnswer = {
  status: 404,
  headers: [['Content-Type', 'application/json']],
  body: '{"status":404,"code":"NotFound","message":"There are no asynchronous calls"}\n',
};

/** Makes it; nothing is loaded yet. */
export function createLateAsyncCalls(directory: string): LateAsyncCalls {
  let open: (() => Promise<AsyncCalls>) | undefined;
  let opened: Promise<AsyncCalls> | undefined;
  let calls: AsyncCalls | undefined;
  const load = (): Promise<AsyncCalls> => {
    if (open === undefined) throw new Error('Fnlet starts just now');
    opened ??= open().then(
      (found) => {
        calls = found;
        return found;
      },
      (error: unknown) => {
        opened = undefined;
        throw error;
      },
    );
    return opened;
  };
  // Asking about calls makes none.
  const find = async (): Promise<AsyncCalls | undefined> =>
    opened === undefined && !existsSync(directory) ? undefined : load();
  return {
    bodyBytesMax: asyncBodyBytesMax,
    async respond(request) {
      const found = request.call === undefined ? await find() : await load();
      if (found === undefined) return noCalls;
      const { answerRequest } = await import('@fnlet/eventing/async');
      return answerRequest(found, request);
    },
    api: {
      group: 'calls.fnlet.dev',
      async answer(route, request) {
        const { answerCalls } = await import('./async-calls-api.ts');
        return answerCalls(await find(), route, request);
      },
    },
    lagOf: (key) => calls?.lagOf(key) ?? (opened === undefined ? 0 : undefined),
    async begin(how) {
      open = how;
      await find();
    },
  };
}
