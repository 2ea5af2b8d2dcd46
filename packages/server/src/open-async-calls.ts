import { AsyncCalls } from '@fnlet/eventing/async';
import type { Gateway } from '@fnlet/gateway';
import { openLmdbStore } from '@fnlet/store';
import { createCallbackPort } from './callback-port.ts';
import { parseCallbackRule } from './callback-rule.ts';
import { type House, runInBackground } from './house.ts';

export interface CallsWay {
  /** Calls Functions. */
  readonly gateway: Pick<Gateway, 'invoke'>;
  /** `host:port` of the Gateway, as programs of this machine reach it. */
  readonly address: string;
}

/** Takes up the calls that are kept in this directory, and accepts others from then on. */
export async function openAsyncCalls(
  house: House,
  { gateway, address }: CallsWay,
): Promise<AsyncCalls> {
  const { config, clock, random, logger } = house.options;
  // Nobody watches calls, so no history is needed.
  const store = house.stack.use(
    await openLmdbStore({ directory: house.data.asyncCalls, historyMin: 1 }),
  );
  const rule = parseCallbackRule(config.callbackHosts, () => address);
  const callbacks = createCallbackPort(rule);
  const { invoke } = gateway;
  const calls = new AsyncCalls({ store, invoke, callbacks, clock, random, logger });
  runInBackground(house, 'asynchronous calls', (signal) => calls.run(signal));
  house.metrics.add(() => calls.metrics());
  house.stack.defer(() => calls.close());
  return calls;
}
