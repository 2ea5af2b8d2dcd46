import { AsyncCalls, answerRequest } from '@fnlet/eventing/async';
import type { Gateway, ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
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

/** Takes up the calls that are kept, and answers requests from then on. */
export async function openAsyncCalls(
  house: House,
  { directory, gateway, address }: AsyncCallsPlace,
): Promise<(request: ReceivedRequest) => Promise<ResponderAnswer>> {
  const { config, clock, random, logger } = house.options;
  // Nobody watches calls, so no history is needed.
  const store = house.stack.use(await openLmdbStore({ directory, historyMin: 1 }));
  const rule = parseCallbackRule(config.callbackHosts, () => address);
  const callbacks = createCallbackPort(rule);
  const { invoke } = gateway;
  const calls = new AsyncCalls({ store, invoke, callbacks, clock, random, logger });
  runInBackground(house, 'asynchronous calls', (signal) => calls.run(signal));
  house.stack.defer(() => calls.close());
  return (request) => answerRequest(calls, request);
}
