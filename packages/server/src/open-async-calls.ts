import { AsyncCalls, answerRequest } from '@fnlet/eventing/async';
import type { Gateway, ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import type { ObjectKey } from '@fnlet/machinery';
import { openLmdbStore } from '@fnlet/store';
import { createCallbackPort } from './callback-port.ts';
import { parseCallbackRule } from './callback-rule.ts';
import { type House, runInBackground } from './house.ts';

export interface AsyncCallsPlace {
  /** Where calls are kept. */
  readonly directory: string;
  readonly gateway: Pick<Gateway, 'invoke'>;
  /** `host:port` of the Gateway, as programs of this machine reach it. */
  readonly address: string;
}

/** What stands once they are taken up. */
export interface OpenAsyncCalls {
  answer(request: ReceivedRequest): Promise<ResponderAnswer>;
  /** How many wait for a Function. */
  lagOf(key: ObjectKey): number;
}

/** Takes up the calls that are kept, and answers requests from then on. */
export async function openAsyncCalls(
  house: House,
  { directory, gateway, address }: AsyncCallsPlace,
): Promise<OpenAsyncCalls> {
  const { config, clock, random, logger } = house.options;
  // Nobody watches calls, so no history is needed.
  const store = house.stack.use(await openLmdbStore({ directory, historyMin: 1 }));
  const rule = parseCallbackRule(config.callbackHosts, () => address);
  const callbacks = createCallbackPort(rule);
  const { invoke } = gateway;
  const calls = new AsyncCalls({ store, invoke, callbacks, clock, random, logger });
  runInBackground(house, 'asynchronous calls', (signal) => calls.run(signal));
  house.stack.defer(() => calls.close());
  return {
    answer: (request) => answerRequest(calls, request),
    lagOf: (key) => calls.lagOf(key),
  };
}
