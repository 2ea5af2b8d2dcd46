/** Waits for the first Operator: most of the time there is none, and then nothing is loaded. */
import { operatorType } from '@fnlet/api';
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { Gateway } from '@fnlet/gateway';
import { type House, runInBackground } from './house.ts';

/** Begins to wait; what it starts stops with the house. */
export function awaitOperators(house: House, { invoke }: Pick<Gateway, 'invoke'>): void {
  const { options, data, server, store, failed } = house;
  const { clock, random, logger } = options;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const load = async (): Promise<void> => {
    const { createHub } = await import('@fnlet/operators');
    const { openLmdbStore } = await import('@fnlet/store');
    if (stack.disposed) return;
    // Nobody watches it, so no history is needed.
    const records = stack.use(await openLmdbStore({ directory: data.operators, historyMin: 1 }));
    const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
    const onLoad = (isBusy: boolean): void => house.heapLoad.tell('operators', isBusy);
    const hub = createHub({ client, invoke, store: records, onLoad, clock, random, logger });
    house.operators.begin(hub, invoke);
    runInBackground({ ...house, stack }, 'operators', (signal) => hub.run(signal));
  };
  const stop = awaitFirstObject(store, {
    types: [operatorType],
    matches: () => true,
    found: () =>
      void load().catch((error: unknown) => {
        logger.error('Cannot start what runs operators', { error: errorMessage(error) });
        failed.reject(error);
      }),
  });
  stack.defer(stop);
}
